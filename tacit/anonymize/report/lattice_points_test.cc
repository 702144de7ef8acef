#include "tacit/anonymize/report/lattice_points.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tacit/anonymize/testing/small_table.h"

namespace tacit::anonymize {
namespace {

class LatticePointsTest : public ::testing::Test {
 protected:
  void SetUp() override { testing::write_patients(file()); }

  [[nodiscard]] std::filesystem::path file() const { return folder_ / "patients.csv"; }

  Engine engine_ = testing::engine_with_files();

 private:
  Scratch folder_;
};

TEST_F(LatticePointsTest, AreAllOfASmallLattice) {
  const Policy policy = testing::patient_policy("k = 10\nsuppression = 0.1\n");
  const Microdata data = Microdata::read(engine_, file(), policy).value();
  const Choice choice = choose(data, policy).value();
  const auto points = lattice_points(data, policy, choice, 500);
  ASSERT_EQ(points.size(), choice.nodes);
  const auto criteria = criteria_of(policy, data.records);
  const auto measure = measure_of(policy, data);
  Search search(data.records, data.hierarchies, *measure, criteria);
  EXPECT_EQ(static_cast<std::size_t>(std::ranges::count_if(points, &LatticePoint::fits)),
            search.fitting());
  double least = 1e9;
  for (const LatticePoint& point : points) {
    if (!point.fits) {
      EXPECT_EQ(point.suppressed, 0U);
      continue;
    }
    least = std::min(least, point.score);
    EXPECT_LE(point.highest_risk, 0.1);
    EXPECT_LE(point.average_risk, point.highest_risk);
  }
  const auto chosen = std::ranges::find_if(points, &LatticePoint::is_chosen);
  ASSERT_NE(chosen, points.end());
  EXPECT_DOUBLE_EQ(chosen->score, choice.recoding.score);
  EXPECT_DOUBLE_EQ(chosen->score, least);
  EXPECT_EQ(chosen->suppressed, choice.recoding.suppressed);
  EXPECT_DOUBLE_EQ(chosen->average_risk, choice.risk.average());
}

TEST_F(LatticePointsTest, AreASampleOfALargeOne) {
  const Policy policy = testing::patient_policy("k = 10\nsuppression = 0.1\n");
  const Microdata data = Microdata::read(engine_, file(), policy).value();
  const Choice choice = choose(data, policy).value();
  const auto points = lattice_points(data, policy, choice, 4);
  std::set<Node> nodes;
  for (const LatticePoint& point : points) nodes.insert(point.node);
  EXPECT_EQ(nodes.size(), points.size());
  EXPECT_LT(points.size(), choice.nodes);
  EXPECT_TRUE(nodes.contains(Node(3, 0)));
  EXPECT_TRUE(nodes.contains(choice.recoding.node));
}

}  // namespace
}  // namespace tacit::anonymize

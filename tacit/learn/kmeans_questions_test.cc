#include <gmock/gmock.h>

#include "tacit/learn/kmeans_questions_internal.h"
#include "tacit/learn/testing/learn_test.h"
#include "tacit/sql/exact_groups_internal.h"
#include "tacit/sql/testing/movement.h"

namespace tacit::learn {
namespace {

class KMeansQuestionsTest : public LearnTest {
 protected:
  sql::ExactGroups exact(const Question& question) {
    const auto planned = plan_questions({question}, schema_, {}, *embedded_);
    EXPECT_TRUE(planned) << planned.error().message();
    return *sql::exact_groups(planned->query.aggregations.front(), planned->aggregations.front(),
                              *engine_, "secret");
  }
  std::string rows() {
    const auto features =
        features_of({.from = "people", .columns = {"x", "y"}}, schema_, *embedded_);
    return unit_rows("people", *features, schema_).value();
  }
};

// Rows go to the nearest centre, and to the cell that they lie in.
TEST_F(KMeansQuestionsTest, CountClustersAndCells) {
  create(
      "SELECT * FROM (VALUES (-9.0::DOUBLE, -9.0::DOUBLE), (-8.0, -9.0), (9.0, 9.0), (0.1, 0.1), "
      "(99.0, 99.0), (NULL, 1.0)) AS v(x, y)",
      {real("x", -10, 10), real("y", -10, 10)});
  const auto clusters = exact(round_question(rows(), {{-1, -1}, {1, 1}}, Rational(1)));
  ASSERT_EQ(clusters.size(), 2U);
  EXPECT_EQ(clusters.at({Cell(int128{0})}).totals[0], 2);
  EXPECT_EQ(clusters.at({Cell(int128{1})}).totals[0], 3);
  const auto steps = static_cast<double>(clusters.at({Cell(int128{0})}).totals[1]);
  EXPECT_NEAR(steps / 0x1p40, -1.7, 1e-9);
  const auto cells = exact(grid_question(rows(), 2, 4, Rational(1)));
  EXPECT_EQ(cells.at({Cell(int128{0}), Cell(int128{0})}).totals[0], 2);
  EXPECT_EQ(cells.at({Cell(int128{3}), Cell(int128{3})}).totals[0], 2) << "the upper face belongs";
  EXPECT_EQ(cells.at({Cell(int128{2}), Cell(int128{2})}).totals[0], 1);
  EXPECT_EQ(exact(rows_question(rows(), Rational(1))).at({}).totals[0], 5);
}

// Many clusters in many dimensions are still a statement that can be written.
TEST_F(KMeansQuestionsTest, WritesManyClusters) {
  create("SELECT 1.0::DOUBLE AS x, 2.0::DOUBLE AS y", {real("x", -10, 10), real("y", -10, 10)});
  const auto found = exact(round_question(rows(), packed_centres(64, 2), Rational(1)));
  EXPECT_EQ(found.size(), 1U);
}

// What proof.md leans on, on a small table: whoever goes, each answer moves within the plan's
// bounds.
TEST_F(KMeansQuestionsTest, NoUnitMovesAnAnswerFurtherThanThePlanClaims) {
  create(
      "SELECT * FROM (VALUES (1, 9.0::DOUBLE, -9.0::DOUBLE), (1, -3.0, 4.0), (2, 100.0, 'nan'), "
      "(2, 1e308, -1e308), (3, NULL, 1.0), (4, 'inf', '-inf'), (5, 0.0, 0.0), (5, 10.0, 10.0), "
      "(5, -10.0, 10.0)) AS v(person, x, y)",
      {{"person", kIntegerType}, real("x", -10, 10), real("y", -10, 10)},
      {.kind = Unit::Kind::kColumns, .columns = {"person"}});
  const auto features = features_of({.from = "people", .columns = {"x", "y"}}, schema_, *embedded_);
  ASSERT_TRUE(features) << features.error().message();
  const std::string rows = unit_rows("people", *features, schema_).value();
  const std::vector<Point> centres{{-0.5, 0.25}, {0.5, 0.5}, {0.9, -0.9}};
  const Allowance allowance{.bounds = {.groups = 2, .rows_per_group = 2}};
  for (const Question& question :
       {rows_question(rows, Rational(1)), grid_question(rows, 2, 4, Rational(1)),
        round_question(rows, centres, Rational(1))}) {
    const auto planned = plan_questions({question}, schema_, allowance, *embedded_);
    ASSERT_TRUE(planned) << planned.error().message();
    sql::testing::Movement movement(planned->aggregations.front(), Neighbours::kAddRemove);
    const auto groups = [&] {
      return *sql::exact_groups(planned->query.aggregations.front(), planned->aggregations.front(),
                                *engine_, "secret");
    };
    const auto all = groups();
    for (int person = 1; person <= 5; ++person) {
      ASSERT_TRUE(engine_->execute("BEGIN"));
      ASSERT_TRUE(engine_->execute("DELETE FROM people WHERE person = " + std::to_string(person)));
      EXPECT_EQ(movement.compare(all, groups()), "") << question.sql << ", " << person;
      ASSERT_TRUE(engine_->execute("ROLLBACK"));
    }
  }
}

}  // namespace
}  // namespace tacit::learn

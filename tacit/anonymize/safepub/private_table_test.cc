#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "tacit/anonymize/safepub/safepub.h"
#include "tacit/anonymize/testing/small_table.h"

namespace tacit::anonymize {
namespace {

using ::testing::HasSubstr;

// A file of ages, which are numbers, and sexes; what was released is given.
class PrivateTableTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(engine_.execute("COPY (SELECT 30 AS age, 'f' AS sex) TO '" +
                                (folder_ / "table.parquet").string() + "'"));
    auto source = SourceFile::open(engine_, folder_ / "table.parquet");
    ASSERT_TRUE(source) << source.error().message();
    source_.emplace(*std::move(source));
    const auto policy = Policy::parse(
        "[columns]\nage = {role = 'quasi-identifier', hierarchy = {intervals = [10], from = 0, to "
        "= 90}}\nsex = 'quasi-identifier'\n"
        "[privacy]\ndifferential = {epsilon = 1, delta = 1e-6, unit = 'row'}\n",
        "policy.toml");
    ASSERT_TRUE(policy) << policy.error().message();
    auto plan = SafePubPlan::create(*policy, *source_, Neighbours::kAddRemove);
    ASSERT_TRUE(plan) << plan.error().message();
    plan_.emplace(*std::move(plan));
  }

  Result<void> write(const PrivateTable& table, const std::string& name) {
    return write_table(engine_, *source_, *plan_, table, folder_ / name);
  }

  Scratch folder_;
  Engine engine_ = testing::engine_with_files();
  std::optional<SourceFile> source_;
  std::optional<SafePubPlan> plan_;
};

TEST_F(PrivateTableTest, WritesEachClassAsManyTimesAsItHasRows) {
  const PrivateTable table{.levels = {1, 0},
                           .classes = {{.labels = {"[30, 40)", "f"}, .rows = 3},
                                       {.labels = {"[40, 50)", ""}, .rows = 1},
                                       {.labels = {"[50, 60)", "m"}, .rows = 0}}};
  const auto done = write(table, "out.csv");
  ASSERT_TRUE(done) << done.error().message();
  auto lines = testing::lines_of(folder_ / "out.csv");
  std::sort(lines.begin() + 1, lines.end());
  const Fields young{"[30, 40)", "f"};
  EXPECT_EQ(lines, (std::vector<Fields>{{"age", "sex"}, young, young, young, {"[40, 50)", ""}}));
}

TEST_F(PrivateTableTest, KeepsTheTypeOfWhatStaysAsItIs) {
  const std::string types =
      "SELECT typeof(age), typeof(sex), count(*) FILTER (WHERE sex IS NULL) "
      "OVER () FROM '";
  const PrivateTable exact{.levels = {0, 0}, .classes = {{.labels = {"30", ""}, .rows = 2}}};
  ASSERT_TRUE(write(exact, "exact.parquet"));
  auto seen = engine_.query(types + (folder_ / "exact.parquet").string() + "'");
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->columns[0][0], Cell("INTEGER"));
  EXPECT_EQ(seen->columns[2][0], Cell(int128{2})) << "what is empty was missing";
  const PrivateTable coarse{.levels = {1, 0},
                            .classes = {{.labels = {"[30, 40)", "f"}, .rows = 2}}};
  ASSERT_TRUE(write(coarse, "coarse.parquet"));
  seen = engine_.query(types + (folder_ / "coarse.parquet").string() + "'");
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->columns[0][0], Cell("VARCHAR"));
}

TEST_F(PrivateTableTest, PutsNothingInPlaceThatItCannotWrite) {
  const PrivateTable table{.levels = {1, 0}, .classes = {}};
  const auto unnamed = write(table, "out.xyz");
  ASSERT_FALSE(unnamed);
  EXPECT_THAT(unnamed.error().remedy, HasSubstr(".parquet"));
  EXPECT_FALSE(write(table, "nowhere/out.csv"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_ / ""), {}), 1)
      << "the table alone";
  ASSERT_TRUE(write(table, "out.csv")) << "no class is a table too";
  EXPECT_EQ(testing::lines_of(folder_ / "out.csv").size(), 1U);
}

}  // namespace
}  // namespace tacit::anonymize

#include "tacit/anonymize/written_check_internal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "tacit/anonymize/testing/small_table.h"

namespace tacit::anonymize {
namespace {

using ::testing::HasSubstr;

constexpr RowFileForm kForm{.format = RowFormat::kCsv, .delimiter = ','};

// Two classes of three people each, published as they are and then tampered with.
class WrittenCheck : public ::testing::Test {
 protected:
  void SetUp() override {
    write("table.csv", kRows);
    auto policy = Policy::parse(
        "[columns]\nage = 'quasi-identifier'\n"
        "illness = {role = 'sensitive', criteria = {distinct_l = 2}}\n[privacy]\nk = 3\n",
        "policy.toml");
    ASSERT_TRUE(policy) << policy.error().message();
    policy_ = *std::move(policy);
    auto data = Microdata::read(engine_, folder_ / "table.csv", policy_);
    ASSERT_TRUE(data) << data.error().message();
    data_.emplace(*std::move(data));
    choice_.risk.rows = 6;
    choice_.risk.classes = 2;
  }

  void write(const std::string& name, const std::vector<std::string>& rows) const {
    std::ofstream out(folder_ / name);
    out << "age,illness\n";
    for (const std::string& row : rows) out << row << '\n';
  }

  Result<void> check(const std::vector<std::string>& rows) {
    write("out.csv", rows);
    return check_written(engine_, *data_, policy_, choice_, kForm, folder_ / "out.csv");
  }

  const std::vector<std::string> kRows{"30,flu", "30,flu",  "30,gout",
                                       "40,flu", "40,gout", "40,flu"};
  Scratch folder_;
  Engine engine_ = testing::engine_with_files();
  Policy policy_;
  std::optional<Microdata> data_;
  Choice choice_;
};

TEST_F(WrittenCheck, TakesWhatWasChosenInAnyOrder) {
  const auto same = check(kRows);
  EXPECT_TRUE(same) << same.error().message();
  EXPECT_TRUE(check({"40,flu", "30,gout", "40,gout", "30,flu", "40,flu", "30,flu"}));
}

TEST_F(WrittenCheck, MissesARow) {
  const auto fewer = check({"30,flu", "30,flu", "30,gout", "40,flu", "40,gout"});
  ASSERT_FALSE(fewer);
  EXPECT_EQ(fewer.error().kind, ErrorKind::kWorld);
  EXPECT_THAT(fewer.error().what, HasSubstr("5 rows in 2 classes, and not 6 in 2"));
}

TEST_F(WrittenCheck, CountsTheClassesThatTheFileShows) {
  const auto more = check({"30,flu", "30,flu", "30,gout", "40,flu", "40,gout", "41,flu"});
  ASSERT_FALSE(more);
  EXPECT_THAT(more.error().what, HasSubstr("6 rows in 3 classes, and not 6 in 2"));
}

TEST_F(WrittenCheck, AsksTheCriteriaOfTheFileItself) {
  // As many rows and classes as were chosen, and still too few of one age.
  const auto small = check({"30,flu", "30,flu", "30,flu", "30,gout", "40,flu", "40,gout"});
  ASSERT_FALSE(small);
  EXPECT_THAT(small.error().what, HasSubstr("3-anonymity"));
  const auto uniform = check({"30,flu", "30,flu", "30,flu", "40,flu", "40,gout", "40,flu"});
  ASSERT_FALSE(uniform);
  EXPECT_THAT(uniform.error().what, HasSubstr("distinct 2-diversity"));
}

TEST_F(WrittenCheck, KnowsTheSensitiveValuesOfTheTable) {
  const auto other = check({"30,flu", "30,flu", "30,plague", "40,flu", "40,gout", "40,flu"});
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().what, HasSubstr("a sensitive value is not one of the table's"));
}

TEST_F(WrittenCheck, AMissingValueCountsForAnyWhereThePolicySaysSo) {
  const std::vector<std::string> rows{"30,flu", "30,gout", "40,flu", "40,gout",
                                      ",flu",   ",gout",   ",flu"};
  choice_.risk.rows = 7;
  choice_.risk.classes = 3;
  EXPECT_FALSE(check(rows)) << "two classes of two";
  policy_.missing = Missing::kAnything;
  const auto wild = check(rows);
  EXPECT_TRUE(wild) << wild.error().message();
}

TEST_F(WrittenCheck, OfNoRowsThereIsNothingToAsk) {
  choice_.risk.rows = 0;
  EXPECT_TRUE(check({}));
}

}  // namespace
}  // namespace tacit::anonymize

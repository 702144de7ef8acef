#include "tacit/anonymize/publish.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "tacit/anonymize/testing/small_table.h"
#include "tacit/anonymize/written_check_internal.h"

namespace tacit::anonymize {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::lines_of;

// A policy and what is found for it.
class PublishTest : public ::testing::Test {
 protected:
  void SetUp() override { testing::write_patients(folder_ / "patients.csv"); }

  void choose_for(const std::string& privacy) {
    policy_ = testing::patient_policy(privacy);
    auto data = Microdata::read(engine_, folder_ / "patients.csv", policy_);
    ASSERT_TRUE(data) << data.error().message() << engine_.steward_detail();
    data_.emplace(*std::move(data));
    auto choice = choose(*data_, policy_);
    ASSERT_TRUE(choice) << choice.error().message();
    choice_ = *std::move(choice);
  }

  Result<void> publish_as(const std::string& name) {
    auto stream = SecureStream::create().value();
    return publish(engine_, *data_, policy_, choice_, PseudonymKey::create(stream), std::nullopt,
                   folder_ / name);
  }

  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(folder_ / ""), {}));
  }

  Scratch folder_;
  Engine engine_ = testing::engine_with_files();
  Policy policy_;
  std::optional<Microdata> data_;
  Choice choice_;
};

TEST_F(PublishTest, WritesWhatWasChosen) {
  choose_for("k = 5\nsuppression = 0.3\n");
  const auto published = publish_as("safe.csv");
  ASSERT_TRUE(published) << published.error().message() << engine_.steward_detail();
  const auto lines = lines_of(folder_ / "safe.csv");
  EXPECT_THAT(lines.front(), ElementsAre("id", "age", "sex", "ward", "row", "illness"));
  EXPECT_EQ(lines.size() - 1, choice_.risk.rows);
  EXPECT_EQ(choice_.risk.rows + choice_.recoding.suppressed, 600U);
  std::map<Fields, std::set<std::string>> illnesses;
  std::map<Fields, std::size_t> sizes;
  std::set<std::string> pseudonyms;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const Fields key(lines[i].begin() + 1, lines[i].begin() + 4);
    ++sizes[key];
    illnesses[key].insert(lines[i][5]);
    pseudonyms.insert(lines[i][0]);
    EXPECT_EQ(lines[i][0].size(), 32U);
  }
  EXPECT_EQ(pseudonyms.size(), lines.size() - 1);
  EXPECT_EQ(sizes.size(), choice_.risk.classes);
  for (const auto& [key, size] : sizes) EXPECT_GE(size, 5U);
  for (const auto& [key, values] : illnesses) EXPECT_GE(values.size(), 2U);
}

// Of a random order every other step is up, within 10 standard deviations of sqrt(n / 12).
TEST_F(PublishTest, ShowsNothingOfTheOrderOfRows) {
  choose_for("k = 1\n");
  std::vector<std::vector<Fields>> written;
  for (const char* name : {"one.csv", "two.csv"}) {
    ASSERT_TRUE(publish_as(name));
    written.push_back(lines_of(folder_ / name));
    const auto& lines = written.back();
    int rises = 0;
    for (std::size_t i = 2; i < lines.size(); ++i) {
      rises += std::stoi(lines[i][4]) > std::stoi(lines[i - 1][4]) ? 1 : 0;
    }
    EXPECT_NEAR(rises, (static_cast<double>(lines.size()) - 2) / 2, 75);
  }
  const auto row = [](const Fields& fields) { return fields[4]; };
  EXPECT_FALSE(std::ranges::equal(written[0], written[1], {}, row, row));
}

TEST_F(PublishTest, LeavesNothingBehindWhenItFails) {
  choose_for("k = 5\nsuppression = 0.3\n");
  // Somebody writes to the table meanwhile.
  std::ofstream(folder_ / "patients.csv", std::ios::app) << "x,1,m,north,601,flu\n";
  const auto published = publish_as("safe.csv");
  ASSERT_FALSE(published);
  EXPECT_THAT(published.error().message(), HasSubstr("has changed"));
  EXPECT_EQ(files(), 1U);
}

TEST_F(PublishTest, TheCheckSeesWhatWasNotWrittenAsChosen) {
  choose_for("k = 5\nsuppression = 0.3\n");
  ASSERT_TRUE(publish_as("safe.csv"));
  const RowFileForm form{.format = RowFormat::kCsv, .delimiter = ','};
  const auto check = [&](const Policy& policy, const Choice& choice) {
    return check_written(engine_, *data_, policy, choice, form, folder_ / "safe.csv");
  };
  EXPECT_TRUE(check(policy_, choice_));
  // A stricter policy, other rows, another number of classes.
  const auto strict = check(testing::patient_policy("k = 300\n"), choice_);
  ASSERT_FALSE(strict);
  EXPECT_THAT(strict.error().message(), HasSubstr("300-anonymity"));
  Policy diverse = policy_;
  diverse.criteria.emplace_back(rule::DistinctDiversity{.column = 0, .l = 4});
  EXPECT_THAT(check(diverse, choice_).error().message(), HasSubstr("distinct 4-diversity"));
  Choice other = choice_;
  ++other.risk.rows;
  EXPECT_FALSE(check(policy_, other));
}

TEST_F(PublishTest, WritesTheTypesOfParquet) {
  ASSERT_TRUE(engine_.execute(
      "COPY (SELECT i // 100 AS a, DATE '2020-01-01' + CAST(i % 2 AS INTEGER) AS d, i * 0.5 AS "
      "v FROM range(1000) t(i)) TO '" +
      (folder_ / "typed.parquet").string() + "' (FORMAT parquet)"));
  policy_ = Policy::parse(
                "[columns]\na = \"quasi-identifier\"\nd = \"quasi-identifier\"\nv = "
                "\"other\"\n[privacy]\nk = 10\n",
                "p.toml")
                .value();
  auto data = Microdata::read(engine_, folder_ / "typed.parquet", policy_);
  ASSERT_TRUE(data) << data.error().message();
  data_.emplace(*std::move(data));
  choice_ = choose(*data_, policy_).value();
  EXPECT_THAT(choice_.recoding.node, ElementsAre(0, 0));
  ASSERT_TRUE(publish_as("safe.parquet")) << engine_.steward_detail();
  const auto types = engine_.query("SELECT column_type FROM (DESCRIBE SELECT * FROM '" +
                                   (folder_ / "safe.parquet").string() + "')");
  ASSERT_TRUE(types);
  EXPECT_EQ(types->columns[0][0], Cell(std::string("BIGINT")));
  EXPECT_EQ(types->columns[0][1], Cell(std::string("DATE")));
}

}  // namespace
}  // namespace tacit::anonymize

#include "tacit/anonymize/classed_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tacit/anonymize/choice.h"
#include "tacit/anonymize/publish.h"
#include "tacit/anonymize/testing/small_table.h"

namespace tacit::anonymize {
namespace {

using ::testing::HasSubstr;
using testing::lines_of;

class ClassedRowsTest : public ::testing::Test {
 protected:
  void SetUp() override { testing::write_patients(folder_ / "patients.csv"); }

  // The published lines, without the header.
  std::vector<Fields> published(const std::string& privacy) {
    policy_ = testing::patient_policy(privacy);
    engine_ = testing::engine_with_files();
    auto data = Microdata::read(engine_, folder_ / "patients.csv", policy_);
    if (!data) {
      ADD_FAILURE() << data.error().message();
      return {};
    }
    auto choice = choose(*data, policy_);
    if (!choice) {
      ADD_FAILURE() << choice.error().message();
      return {};
    }
    choice_ = *std::move(choice);
    auto stream = SecureStream::create().value();
    const auto written = publish(engine_, *data, policy_, choice_, PseudonymKey::create(stream),
                                 std::nullopt, folder_ / "safe.csv");
    EXPECT_TRUE(written) << written.error().message() << engine_.steward_detail();
    auto lines = lines_of(folder_ / "safe.csv");
    lines.erase(lines.begin());
    return lines;
  }

  // What each line shows of its quasi-identifiers, and how many lines do.
  static std::map<Fields, std::size_t> classes_of(const std::vector<Fields>& lines) {
    std::map<Fields, std::size_t> out;
    for (const Fields& line : lines) ++out[Fields(line.begin() + 1, line.begin() + 4)];
    return out;
  }

  // The original line of a row, by its number.
  Fields original(const std::string& row) {
    if (originals_.empty()) {
      for (const Fields& line : lines_of(folder_ / "patients.csv")) originals_[line[4]] = line;
    }
    return originals_.at(row);
  }

  Scratch folder_;
  Engine engine_ = testing::engine_with_files();
  Policy policy_;
  Choice choice_;
  std::map<std::string, Fields> originals_;
};

bool covers(const std::string& range, int age) {
  const std::size_t dots = range.find(" .. ");
  if (dots == std::string::npos) return std::stoi(range) == age;
  return std::stoi(range.substr(0, dots)) <= age && age <= std::stoi(range.substr(dots + 4));
}

TEST_F(ClassedRowsTest, EveryRowIsInAClassThatCoversIt) {
  for (const char* const method : {"kind = \"mondrian\"", "kind = \"mondrian\"\nrelaxed = true"}) {
    const auto lines = published(std::string("k = 5\n[method]\n") + method);
    ASSERT_EQ(lines.size(), 600U);
    std::set<std::string> rows;
    for (const Fields& line : lines) {
      const Fields was = original(line[4]);
      rows.insert(line[4]);
      EXPECT_TRUE(covers(line[1], std::stoi(was[1]))) << line[1] << " is not " << was[1];
      EXPECT_TRUE(line[2] == was[2] || line[2] == "{f, m}");
      EXPECT_EQ(line[5], was[5]);
    }
    EXPECT_EQ(rows.size(), 600U);
    const auto classes = classes_of(lines);
    EXPECT_EQ(classes.size(), choice_.risk.classes);
    for (const auto& [shown, size] : classes) EXPECT_GE(size, 5U);
    EXPECT_GT(classes.size(), 30U);
  }
}

// Rows that are alike go to several classes: k alone is asked for, and no class has 2 k rows unless
// all of them are alike.
TEST_F(ClassedRowsTest, DealsOutRowsOfOneRecord) {
  {
    std::ofstream out(folder_ / "ages.csv");
    out << "age,row\n";
    for (int i = 0; i < 600; ++i) out << (i < 100 ? 1 : i < 500 ? 2 : 3) << ',' << i << '\n';
  }
  policy_ = Policy::parse(
                "[columns]\nage = \"quasi-identifier\"\nrow = \"other\"\n[privacy]\nk = "
                "150\n[method]\nkind = \"mondrian\"\nrelaxed = true\n",
                "p.toml")
                .value();
  const auto data = Microdata::read(engine_, folder_ / "ages.csv", policy_);
  ASSERT_TRUE(data) << data.error().message();
  const auto choice = choose(*data, policy_);
  ASSERT_TRUE(choice) << choice.error().message();
  EXPECT_TRUE(choice->partition->splits_records());
  std::vector<std::set<std::string>> firsts;
  for (int round = 0; round < 2; ++round) {
    ASSERT_TRUE(
        publish(engine_, *data, policy_, *choice, std::nullopt, std::nullopt, folder_ / "safe.csv"))
        << engine_.steward_detail();
    std::map<std::string, std::size_t> sizes;
    std::set<std::string>& first = firsts.emplace_back();
    for (const Fields& line : lines_of(folder_ / "safe.csv")) {
      if (line[0] == "age") continue;
      ++sizes[line[0]];
      if (line[0] == "1 .. 2") first.insert(line[1]);
    }
    EXPECT_EQ(sizes.at("1 .. 2"), 150U);
    EXPECT_EQ(sizes.at("2 .. 3"), 150U);
    EXPECT_EQ(sizes.at("2"), 300U);
  }
  // Which 50 of 400 is a matter of chance: twice the same in less than one of 10^60.
  EXPECT_NE(firsts[0], firsts[1]);
}

TEST_F(ClassedRowsTest, LocalRecodingShowsMoreThanTheBestGlobalOne) {
  const auto global = classes_of(published("k = 9\n"));
  const auto lines = published("k = 9\n[method]\nkind = \"local\"\n");
  const auto local = classes_of(lines);
  EXPECT_GT(local.size(), global.size());
  EXPECT_EQ(lines.size(), choice_.risk.rows);
  EXPECT_EQ(choice_.risk.rows + choice_.recoding.suppressed, 600U);
}

TEST_F(ClassedRowsTest, CellsAreAsTheyWereOrSuppressed) {
  std::size_t suppressed = 0;
  for (const Fields& line : published("k = 5\n[method]\nkind = \"cells\"\n")) {
    const Fields was = original(line[4]);
    for (const std::size_t i : {1U, 2U, 3U}) {
      EXPECT_TRUE(line[i] == was[i] || line[i] == "*") << line[i];
      if (line[i] == "*") ++suppressed;
    }
  }
  EXPECT_GT(suppressed, 0U);
  EXPECT_LT(suppressed, 900U);
}

TEST_F(ClassedRowsTest, GroupsShowValues) {
  const auto lines = published("k = 5\n[method]\nkind = \"microaggregation\"\n");
  ASSERT_EQ(lines.size(), 600U);
  for (const Fields& line : lines) {
    EXPECT_GE(std::stoi(line[1]), 20);
    EXPECT_LE(std::stoi(line[1]), 59);
    EXPECT_TRUE(line[2] == "m" || line[2] == "f");
  }
  for (const auto& [shown, size] : classes_of(lines)) EXPECT_GE(size, 5U);
}

TEST_F(ClassedRowsTest, SaysWhatTheWholeTableBreaks) {
  policy_ = testing::patient_policy("k = 1000\n[method]\nkind = \"mondrian\"\n");
  const auto data = Microdata::read(engine_, folder_ / "patients.csv", policy_);
  ASSERT_TRUE(data);
  const auto choice = choose(*data, policy_);
  ASSERT_FALSE(choice);
  EXPECT_THAT(choice.error().message(), HasSubstr("the whole table as one breaks 1000-anonymity"));
}

}  // namespace
}  // namespace tacit::anonymize

// The small tables of the textbooks: what each criterion says of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "tacit/anonymize/criteria/ck_safety.h"
#include "tacit/anonymize/criteria/k_anonymity.h"
#include "tacit/anonymize/criteria/l_diversity.h"
#include "tacit/anonymize/criteria/t_closeness.h"
#include "tacit/anonymize/judge_internal.h"
#include "tacit/anonymize/testing/adult.h"

namespace tacit::anonymize {
namespace {

// Classes that are given, with one sensitive value a row.
struct Release {
  Records records;
  std::vector<Hierarchy> hierarchies;
};

Release release_of(const std::vector<std::vector<std::string>>& classes,
                   const std::vector<std::string>& values) {
  Release out;
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < classes.size(); ++i) rows.push_back({std::to_string(i), "*"});
  out.hierarchies.push_back(Hierarchy::create(rows, "class").value());
  RecordsBuilder builder(1, 1);
  for (std::uint32_t i = 0; i < classes.size(); ++i) {
    for (const std::string& value : classes[i]) {
      const auto place = std::ranges::find(values, value) - values.begin();
      builder.add(std::array{i}, std::array{static_cast<std::uint32_t>(place)}, 1);
    }
  }
  out.records = std::move(builder).build();
  return out;
}

std::vector<std::string> different(const std::vector<std::vector<std::string>>& classes) {
  std::vector<std::string> out;
  for (const auto& each : classes) out.insert(out.end(), each.begin(), each.end());
  std::ranges::sort(out);
  out.erase(std::ranges::unique(out).begin(), out.end());
  return out;
}

// Which classes stay.
std::vector<std::uint8_t> kept(const Release& release, std::unique_ptr<Criterion> criterion) {
  Criteria criteria;
  criteria.classes.push_back(std::move(criterion));
  criteria.most_suppressed = release.records.rows;
  return Judge(criteria)
      .judge(Grouper(release.records, release.hierarchies, true).finest())
      .is_kept;
}

class TextbookTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto file = testing::shared() / "vectors" / "textbook.json";
    if (!std::filesystem::exists(file)) GTEST_SKIP() << file << " is not there: set TACIT_SHARED";
    vectors_ = nlohmann::json::parse(std::ifstream(file));
  }
  using Kept = std::vector<std::uint8_t>;

  nlohmann::json vectors_;
};

TEST_F(TextbookTest, HospitalIsFourAnonymousAndOneClassIsHomogeneous) {
  const auto& hospital = vectors_.at("hospital");
  std::map<std::string, std::string> condition_of;
  for (const auto& row : hospital.at("rows")) condition_of[row.front()] = row.back();
  std::vector<std::vector<std::string>> classes;
  for (const auto& each : hospital.at("four_anonymous").at("classes")) {
    auto& conditions = classes.emplace_back();
    for (const auto& name : each.back()) conditions.push_back(condition_of.at(name));
  }
  const Release release = release_of(classes, different(classes));
  EXPECT_EQ(kept(release, k_anonymity(4)), (Kept{1, 1, 1}));
  EXPECT_EQ(kept(release, k_anonymity(5)), (Kept{0, 0, 0}));
  // The last class has one condition; the first, two: one piece of knowledge and Cary's is known.
  EXPECT_EQ(kept(release, distinct_diversity(0, 2)), (Kept{1, 1, 0}));
  EXPECT_EQ(kept(release, distinct_diversity(0, 3)), (Kept{0, 1, 0}));
  EXPECT_EQ(kept(release, entropy_diversity(0, 2)), (Kept{1, 1, 0}));
  const std::vector<std::vector<std::uint64_t>> first{{2, 2}};
  EXPECT_DOUBLE_EQ(worst_disclosure(first, 0), 0.5);
  EXPECT_DOUBLE_EQ(worst_disclosure(first, 1), 1);
}

// Li and others (2007): the first class has low salaries and stomach diseases, and is far from the
// table; salaries in order are 3/8 away.
TEST_F(TextbookTest, ThreeDiverseClassesMayBeSimilar) {
  std::map<std::string, std::pair<std::vector<std::string>, std::vector<std::string>>> by_zip;
  std::vector<std::string> zips;
  for (const auto& row : vectors_.at("three_diverse").at("rows")) {
    if (!by_zip.contains(row[0])) zips.push_back(row[0]);
    by_zip[row[0]].first.push_back(row[2]);
    by_zip[row[0]].second.push_back(row[3]);
  }
  std::vector<std::vector<std::string>> salaries;
  std::vector<std::vector<std::string>> diseases;
  for (const auto& zip : zips) {
    salaries.push_back(by_zip[zip].first);
    diseases.push_back(by_zip[zip].second);
  }
  const Release by_disease = release_of(diseases, different(diseases));
  EXPECT_EQ(kept(by_disease, distinct_diversity(0, 3)), (Kept{1, 1, 1}));
  auto in_order = different(salaries);
  std::ranges::sort(in_order, {}, [](const std::string& salary) { return std::stoi(salary); });
  const Release by_salary = release_of(salaries, in_order);
  EXPECT_EQ(kept(by_salary, distinct_diversity(0, 3)), (Kept{1, 1, 1}));
  EXPECT_EQ(kept(by_salary, ordered_closeness(by_salary.records, 0, 0.375)), (Kept{1, 1, 1}));
  EXPECT_EQ(kept(by_salary, ordered_closeness(by_salary.records, 0, 0.374)), (Kept{0, 1, 1}));
}

TEST_F(TextbookTest, EachReleaseOfTheCompositionIsFourAnonymous) {
  for (const char* name : {"first", "second"}) {
    std::map<std::string, std::vector<std::string>> by_class;
    for (const auto& row : vectors_.at("composition").at(name)) {
      by_class[nlohmann::json(std::vector(row.begin(), row.end() - 1)).dump()].push_back(
          row.back());
    }
    std::vector<std::vector<std::string>> classes;
    for (const auto& [quasi, conditions] : by_class) classes.push_back(conditions);
    const Release release = release_of(classes, different(classes));
    EXPECT_EQ(kept(release, k_anonymity(4)), Kept(classes.size(), 1)) << name;
    EXPECT_EQ(kept(release, distinct_diversity(0, 2)), Kept(classes.size(), 1)) << name;
  }
}

}  // namespace
}  // namespace tacit::anonymize

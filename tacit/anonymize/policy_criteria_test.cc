#include "tacit/anonymize/policy_criteria_internal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tacit::anonymize {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> names(const std::vector<CriterionRule>& rules) {
  std::vector<std::string> out;
  for (const CriterionRule& rule : rules) out.push_back(name(rule));
  return out;
}

Result<std::vector<CriterionRule>> of_table(const std::string& text) {
  const toml::table root = toml::parse("[privacy]\n" + text);
  std::vector<CriterionRule> out;
  TACIT_RETURN_IF_ERROR(
      read_table_criteria(TomlReader("p.toml"), *root.get("privacy")->as_table(), out));
  return out;
}

Result<std::vector<CriterionRule>> of_column(const std::string& text) {
  const toml::table root = toml::parse("criteria = " + text);
  std::vector<CriterionRule> out;
  TACIT_RETURN_IF_ERROR(read_column_criteria(TomlReader("p.toml"), *root.get("criteria"), 3, out));
  return out;
}

TEST(PolicyCriteria, OfTheTable) {
  const auto rules = of_table(
      "k = 5\naverage_risk = 0.1\nk_map = 7\ndelta_presence = {least = 0.1, most = 0.5}\n"
      "population_uniqueness = {most = 0.01, sampling_fraction = 0.1}\nsuppression = 0.1\n");
  ASSERT_TRUE(rules) << rules.error().message();
  EXPECT_THAT(names(*rules),
              ElementsAre("5-anonymity", "average risk of at most 0.1", "7-map",
                          "(0.1,0.5)-presence", "population uniqueness of at most 0.01"));
}

TEST(PolicyCriteria, OfAColumn) {
  const auto rules = of_column(
      "{distinct_l = 3, entropy_l = 2.5, recursive_l = {c = 4, l = 5}, equal_t = 0.2, ordered_t = "
      "0.3, hierarchical_t = 0.4, basic_beta = 3, enhanced_beta = 2, delta_disclosure = 1.5, alpha "
      "= 0.5, alpha_beta = {alpha = 0.1, beta = 0.4}, ck_safety = {c = 0.9, k = 2}}");
  ASSERT_TRUE(rules) << rules.error().message();
  EXPECT_THAT(
      names(*rules),
      ElementsAre("distinct 3-diversity", "entropy 2.5-diversity", "recursive (4,5)-diversity",
                  "0.2-closeness", "ordered 0.3-closeness", "hierarchical 0.4-closeness",
                  "basic 3-likeness", "enhanced 2-likeness", "1.5-disclosure", "0.5-deassociation",
                  "(0.1,0.4)-privacy", "(0.9,2)-safety"));
  for (const CriterionRule& rule : *rules) EXPECT_EQ(sensitive_column(rule), 3U);
}

TEST(PolicyCriteria, RefusesWhatHasNoMeaning) {
  EXPECT_THAT(of_table("k = 0").error().message(), HasSubstr("p.toml:2"));
  EXPECT_THAT(of_table("k = 2.5").error().what, HasSubstr("whole number"));
  EXPECT_THAT(of_table("average_risk = 1.5").error().what, HasSubstr("at most 1"));
  EXPECT_THAT(of_table("population_uniqueness = 0.1").error().what,
              HasSubstr("needs most and sampling_fraction"));
  EXPECT_THAT(of_table("delta_presence = {least = -1, most = 1}").error().what,
              HasSubstr("at least 0"));
  EXPECT_THAT(of_table("l = 3").error().message(), HasSubstr("'l'"));
  EXPECT_THAT(of_column("3").error().what, HasSubstr("must be a table"));
  EXPECT_THAT(of_column("{equal_t = 0}").error().what, HasSubstr("above 0"));
  EXPECT_THAT(of_column("{recursive_l = {c = 4}}").error().what, HasSubstr("needs c and l"));
  EXPECT_THAT(of_column("{alpha_beta = {alpha = 0.5, beta = 0.4}}").error().what,
              HasSubstr("must be below"));
}

}  // namespace
}  // namespace tacit::anonymize

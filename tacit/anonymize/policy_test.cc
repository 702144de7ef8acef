#include "tacit/anonymize/policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tacit::anonymize {
namespace {

using ::testing::HasSubstr;

constexpr const char* kWhole = R"(
[columns]
name = "identifier"
patient = {role = "identifier", pseudonym = true}
age = {role = "quasi-identifier", hierarchy = {intervals = [5, 10], from = 0, to = 90}}
zip = {role = "quasi-identifier", hierarchy = {mask = "right", levels = 3}}
sex = {role = "quasi-identifier", weight = 0.5}
disease = {role = "sensitive", criteria = {distinct_l = 3, recursive_l = {c = 4, l = 5}}}
[columns.country]
role = "quasi-identifier"
hierarchy = {file = "country.csv", delimiter = ";"}
[privacy]
k = 5
suppression = 0.04
[utility]
measure = "entropy"
)";

TEST(Policy, ReadsAWholeFile) {
  const auto policy = Policy::parse(kWhole, "clinic/policy.toml");
  ASSERT_TRUE(policy) << policy.error().message();
  ASSERT_EQ(policy->columns.size(), 7U);
  EXPECT_EQ(policy->columns[0].name, "name");
  EXPECT_TRUE(policy->columns[1].pseudonym);
  EXPECT_EQ(policy->of(Role::kQuasiIdentifier).size(), 4U);
  EXPECT_EQ(policy->of(Role::kSensitive).front().place, "clinic/policy.toml:8");
  EXPECT_EQ(std::get<rule::Intervals>(policy->columns[2].hierarchy).widths.size(), 2U);
  EXPECT_EQ(std::get<rule::Mask>(policy->columns[3].hierarchy).levels, 3U);
  EXPECT_TRUE(std::holds_alternative<rule::Suppress>(policy->columns[4].hierarchy));
  EXPECT_EQ(std::get<rule::Taxonomy>(policy->columns[6].hierarchy).file, "clinic/country.csv");
  ASSERT_EQ(policy->criteria.size(), 3U);
  EXPECT_EQ(name(policy->criteria[0]), "5-anonymity");
  EXPECT_EQ(name(policy->criteria[1]), "distinct 3-diversity");
  EXPECT_EQ(name(policy->criteria[2]), "recursive (4,5)-diversity");
  EXPECT_EQ(policy->columns[4].weight, Rational::parse("0.5").value());
  EXPECT_EQ(policy->suppression, Rational::parse("0.04").value());
  EXPECT_EQ(policy->measure, MeasureKind::kEntropy);
}

std::string refusal(const std::string& column, const std::string& rest = "[privacy]\nk = 2\n") {
  const auto policy = Policy::parse("[columns]\n" + column + "\n" + rest, "p.toml");
  return policy ? "" : policy.error().message();
}

std::string of_hierarchy(const std::string& text) {
  return refusal("a = {role = \"quasi-identifier\", hierarchy = {" + text + "}}");
}

TEST(Policy, NamesTheLineOfWhatIsWrong) {
  EXPECT_THAT(refusal("a = \"secret\""), HasSubstr("p.toml:2: this is not a role"));
  EXPECT_THAT(refusal("a = {pseudonym = true}"), HasSubstr("p.toml:2: the column 'a' has no role"));
  EXPECT_THAT(refusal("a = {role = \"other\", pseudonym = true}"), HasSubstr("of an identifier"));
  EXPECT_THAT(refusal("a = {role = \"other\", hierarchy = {mask = \"right\"}}"),
              HasSubstr("only quasi-identifiers and sensitive"));
  EXPECT_THAT(refusal("a = \"other\""), HasSubstr("no quasi-identifier"));
  EXPECT_THAT(refusal("a = {rule = \"other\"}"), HasSubstr("unknown key 'rule'"));
  EXPECT_THAT(refusal("a = "), HasSubstr("p.toml:2"));
  const std::string good = "a = \"quasi-identifier\"";
  EXPECT_EQ(refusal(good), "");
  EXPECT_THAT(refusal(good, ""), HasSubstr("k = 5"));
  EXPECT_THAT(refusal(good, "[privacy]\nk = 0\n"), HasSubstr("p.toml:4: 'k' must be"));
  EXPECT_THAT(refusal(good, "[privacy]\nk = 2\nsuppression = 2\n"), HasSubstr("0 to 1"));
  EXPECT_THAT(refusal(good, "[privacy]\nk = 2\n[utility]\nmeasure = \"beauty\"\n"),
              HasSubstr("not a measure"));
  EXPECT_THAT(refusal(good + "\nb = {role = \"other\", criteria = {distinct_l = 2}}"),
              HasSubstr("only a sensitive column"));
  EXPECT_THAT(refusal(good + "\nb = {role = \"sensitive\", criteria = {distinct_l = 0}}"),
              HasSubstr("p.toml:3: 'distinct_l' must be"));
  EXPECT_THAT(refusal(good + "\nb = {role = \"sensitive\", criteria = {recursive_l = 3}}"),
              HasSubstr("c and l"));
  EXPECT_THAT(refusal(good + "\nb = {role = \"other\", weight = 2}"), HasSubstr("'weight'"));
  EXPECT_EQ(refusal(good + "\nb = {role = \"sensitive\", criteria = {distinct_l = 2}}", ""), "");
  EXPECT_THAT(Policy::read("/nowhere/p.toml").error().message(), HasSubstr("cannot be read"));
}

std::string of_criteria(const std::string& text) {
  return refusal("a = \"quasi-identifier\"\nb = {role = \"sensitive\", criteria = {" + text + "}}");
}

TEST(Policy, ReadsEveryCriterion) {
  const auto policy = Policy::parse(R"([columns]
a = "quasi-identifier"
[columns.b]
role = "sensitive"
criteria = {distinct_l = 2, entropy_l = 2.5, recursive_l = {c = 4, l = 5}, equal_t = 0.2, ordered_t = 0.3, basic_beta = 3, enhanced_beta = 2, delta_disclosure = 1.5, alpha = 0.5, alpha_beta = {alpha = 0.1, beta = 0.4}, ck_safety = {c = 0.9, k = 2}}
[privacy]
k = 5
average_risk = 0.1
population_uniqueness = {most = 0.01, sampling_fraction = 0.1}
)",
                                    "p.toml");
  ASSERT_TRUE(policy) << policy.error().message();
  std::vector<std::string> names;
  for (const CriterionRule& rule : policy->criteria) names.push_back(name(rule));
  EXPECT_THAT(
      names, ::testing::ElementsAre("5-anonymity", "average risk of at most 0.1",
                                    "population uniqueness of at most 0.01", "distinct 2-diversity",
                                    "entropy 2.5-diversity", "recursive (4,5)-diversity",
                                    "0.2-closeness", "ordered 0.3-closeness", "basic 3-likeness",
                                    "enhanced 2-likeness", "1.5-disclosure", "0.5-deassociation",
                                    "(0.1,0.4)-privacy", "(0.9,2)-safety"));
  EXPECT_EQ(sensitive_column(policy->criteria[0]), std::nullopt);
  EXPECT_EQ(sensitive_column(policy->criteria[5]), 0U);
}

TEST(Policy, ChecksCriteria) {
  EXPECT_THAT(of_criteria("equal_t = 2"), HasSubstr("at most 1"));
  EXPECT_THAT(of_criteria("basic_beta = 0"), HasSubstr("above 0"));
  EXPECT_THAT(of_criteria("alpha_beta = {alpha = 0.5, beta = 0.4}"), HasSubstr("below 'beta'"));
  EXPECT_THAT(of_criteria("ck_safety = {c = 0.5}"), HasSubstr("needs c and k"));
  EXPECT_THAT(of_criteria("z_anonymity = 3"), HasSubstr("unknown key 'z_anonymity'"));
}

TEST(Policy, TakesATarget) {
  const auto with_target = [](const std::string& target) {
    return Policy::parse(
        "[columns]\na = \"quasi-identifier\"\nb = \"sensitive\"\nc = \"other\"\n[privacy]\nk = 2\n"
        "[utility]\ntarget = " +
            target,
        "p.toml");
  };
  EXPECT_EQ(with_target("\"a\"")->target, "a");
  EXPECT_EQ(with_target("\"b\"")->target, "b");
  EXPECT_THAT(with_target("\"c\"").error().message(), HasSubstr("p.toml:8"));
  EXPECT_THAT(with_target("\"d\"").error().message(), HasSubstr("not a quasi-identifier"));
  EXPECT_FALSE(with_target("3"));
}

TEST(Policy, WeighsGeneralizationAgainstSuppression) {
  const auto with = [](const std::string& utility) {
    return Policy::parse(
        "[columns]\na = \"quasi-identifier\"\n[privacy]\nk = 2\n[utility]\n" + utility, "p.toml");
  };
  EXPECT_FALSE(with("measure = \"loss\"")->weights);
  const auto both = with("weights = {generalization = 0.5, suppression = \"1/3\"}");
  ASSERT_TRUE(both) << both.error().message();
  EXPECT_EQ(both->weights->generalization, Rational::parse("0.5").value());
  EXPECT_EQ(both->weights->suppression, Rational::parse("1/3").value());
  // What is not given counts as it is.
  EXPECT_EQ(with("weights = {suppression = 0}")->weights->generalization, Rational(1));
  const auto refusal = [&](const std::string& utility) { return with(utility).error().message(); };
  EXPECT_THAT(refusal("weights = {suppression = -1}"), HasSubstr("p.toml:6: a weight is at least"));
  EXPECT_THAT(refusal("weights = {generalization = 0, suppression = 0}"), HasSubstr("above 0"));
  EXPECT_THAT(refusal("weights = {suppression = inf}"), HasSubstr("must be a number"));
  EXPECT_THAT(refusal("weights = {suppression = nan}"), HasSubstr("must be a number"));
  EXPECT_THAT(refusal("weights = {rows = 1}"), HasSubstr("unknown key 'rows'"));
  EXPECT_THAT(refusal("weights = 2"), HasSubstr("two numbers"));
  EXPECT_THAT(refusal("measure = \"discernibility\"\nweights = {suppression = 2}"),
              HasSubstr("p.toml:7: only measures of cells"));
}

TEST(Policy, SaysWhatAMissingValueIs) {
  const auto with = [](const std::string& privacy) {
    return Policy::parse("[columns]\na = \"quasi-identifier\"\n[privacy]\n" + privacy, "p.toml");
  };
  EXPECT_EQ(with("k = 2")->missing, Missing::kValue);
  EXPECT_EQ(with("k = 2\nmissing = \"value\"")->missing, Missing::kValue);
  EXPECT_EQ(with("k = 2\nmissing = \"anything\"")->missing, Missing::kAnything);
  EXPECT_THAT(with("k = 2\nmissing = true").error().message(), HasSubstr("p.toml:5: 'missing'"));
  for (const char* const more :
       {"average_risk = 0.1", "[method]\nkind = \"mondrian\"", "[method]\nkind = \"local\""}) {
    EXPECT_THAT(
        with(std::string("k = 2\nmissing = \"anything\"\n") + more).error().message(),
        HasSubstr("p.toml:5: missing values match anything in a global recoding by 'k' alone"));
  }
}

TEST(Policy, ChecksHierarchies) {
  for (const char* good : {"intervals = [2.5, 5]", "intervals = 10", "quantiles = [16, 4]",
                           "mask = \"left\"", "prefix = [3, 1]", "date = [\"month\", \"year\"]",
                           "order = [2, 4], values = [\"a\", \"b\"]", "file = \"x.csv\""}) {
    EXPECT_EQ(of_hierarchy(good), "") << good;
  }
  EXPECT_THAT(of_hierarchy("intervals = [5, 12]"), HasSubstr("do not nest"));
  EXPECT_THAT(of_hierarchy("intervals = [5, -10]"), HasSubstr("above 0"));
  EXPECT_THAT(of_hierarchy("intervals = 5, from = 3, to = 3"), HasSubstr("above 'from'"));
  EXPECT_THAT(of_hierarchy("quantiles = [4, 16]"), HasSubstr("do not nest"));
  EXPECT_THAT(of_hierarchy("mask = \"middle\""), HasSubstr("right"));
  EXPECT_THAT(of_hierarchy("prefix = [1, 3]"), HasSubstr("must fall"));
  EXPECT_THAT(of_hierarchy("prefix = [1.5]"), HasSubstr("whole numbers"));
  EXPECT_THAT(of_hierarchy("date = [\"year\", \"month\"]"), HasSubstr("ever coarser"));
  EXPECT_THAT(of_hierarchy("order = [2], values = []"), HasSubstr("list of texts"));
  EXPECT_THAT(of_hierarchy("file = \"x.csv\", delimiter = \"ab\""), HasSubstr("one character"));
  EXPECT_THAT(of_hierarchy("soundex = 4"), HasSubstr("not a hierarchy"));
}

}  // namespace
}  // namespace tacit::anonymize

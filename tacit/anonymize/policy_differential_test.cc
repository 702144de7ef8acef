#include "tacit/anonymize/policy_differential_internal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tacit::anonymize {
namespace {

using ::testing::HasSubstr;

Result<Policy> parsed(const std::string& differential, const std::string& more = "",
                      const std::string& age = "age = 'quasi-identifier'") {
  return Policy::parse("[columns]\nname = 'identifier'\n" + age +
                           "\nzip = 'quasi-identifier'\nillness = 'sensitive'\n[privacy]\n"
                           "differential = " +
                           differential + "\n" + more,
                       "policy.toml");
}

std::string refusal(const std::string& differential, const std::string& more = "",
                    const std::string& age = "age = 'quasi-identifier'") {
  const auto policy = parsed(differential, more, age);
  return policy ? "accepted" : policy.error().message();
}

TEST(PolicyDifferential, IsReadWhole) {
  const auto policy = parsed(
      "{epsilon = 1, delta = 1e-6, unit = {column = 'name'}, search = 0.25, sampling = 0.3, "
      "levels = {age = 1}}",
      "k = 20\n[utility]\nmeasure = 'precision'\n");
  ASSERT_TRUE(policy) << policy.error().message();
  ASSERT_TRUE(policy->differential);
  const DifferentialRule& rule = *policy->differential;
  EXPECT_EQ(rule.epsilon, Rational(1));
  EXPECT_EQ(rule.delta, *Rational::parse("1e-6"));
  EXPECT_EQ(rule.unit, "name");
  EXPECT_EQ(rule.search, *Rational::parse("1/4"));
  EXPECT_EQ(rule.rate, *Rational::parse("0.3"));
  EXPECT_EQ(rule.levels, (std::map<std::string, std::uint64_t>{{"age", 1}}));
  EXPECT_EQ(rule.least, 20U);
  EXPECT_EQ(rule.place, "policy.toml:7");
}

TEST(PolicyDifferential, HasDefaults) {
  const auto policy = parsed("{epsilon = 2, delta = 1e-6, unit = 'row'}");
  ASSERT_TRUE(policy) << policy.error().message();
  EXPECT_EQ(policy->differential->search, *Rational::parse("0.2"));
  EXPECT_FALSE(policy->differential->unit);
  EXPECT_FALSE(policy->differential->rate);
  const auto fixed =
      parsed("{epsilon = 2, delta = 1e-6, unit = 'row', levels = {age = 0, zip = 1}}");
  ASSERT_TRUE(fixed);
  EXPECT_EQ(fixed->differential->search, Rational(0));
  EXPECT_FALSE(Policy::parse("[columns]\na = 'quasi-identifier'\n[privacy]\nk = 2\n", "p.toml")
                   ->differential);
}

TEST(PolicyDifferential, RefusesWhatHasNoMeaning) {
  EXPECT_THAT(refusal("1"), HasSubstr("policy.toml:7"));
  EXPECT_THAT(refusal("{delta = 1e-6, unit = 'row'}"), HasSubstr("needs 'epsilon'"));
  EXPECT_THAT(refusal("{epsilon = 0, delta = 1e-6, unit = 'row'}"), HasSubstr("above 0"));
  EXPECT_THAT(refusal("{epsilon = 1, delta = 1, unit = 'row'}"), HasSubstr("below 1"));
  EXPECT_THAT(refusal("{epsilon = 1, delta = 1e-6}"), HasSubstr("whom the promise protects"));
  EXPECT_THAT(refusal("{epsilon = 1, delta = 1e-6, unit = {column = 'age'}}"),
              HasSubstr("role identifier"));
  EXPECT_THAT(refusal("{epsilon = 1, delta = 1e-6, unit = 'row', search = 1}"),
              HasSubstr("less than all"));
  EXPECT_THAT(refusal("{epsilon = 1, delta = 1e-6, unit = 'row', levels = {age = 0, zip = 0}, "
                      "search = 0.1}"),
              HasSubstr("nothing to choose"));
  EXPECT_THAT(refusal("{epsilon = 1, delta = 1e-6, unit = 'row', levels = {illness = 0}}"),
              HasSubstr("no quasi-identifier"));
  EXPECT_THAT(refusal("{epsilon = 1, delta = 1e-6, unit = 'row', levels = {age = -1}}"),
              HasSubstr("from 0 on"));
  EXPECT_THAT(refusal("{epsilon = 1, delta = 1e-6, unit = 'row'}", "k = 0\n"),
              HasSubstr("at least 1"));
}

// Nothing else that a policy may ask for is covered by the proof.
TEST(PolicyDifferential, RefusesWhatIsNotProved) {
  const std::string rule = "{epsilon = 1, delta = 1e-6, unit = 'row'}";
  EXPECT_THAT(refusal(rule, "suppression = 0.1\n"), HasSubstr("suppression"));
  EXPECT_THAT(refusal(rule, "average_risk = 0.1\n"), HasSubstr("average_risk"));
  EXPECT_THAT(refusal(rule, "[utility]\nmeasure = 'entropy'\n"), HasSubstr("precision"));
  EXPECT_THAT(refusal(rule, "", "age = {role = 'sensitive', criteria = {distinct_l = 2}}"),
              HasSubstr("criteria"));
  EXPECT_THAT(refusal(rule, "", "age = {role = 'identifier', pseudonym = true}"),
              HasSubstr("pseudonym"));
}

}  // namespace
}  // namespace tacit::anonymize

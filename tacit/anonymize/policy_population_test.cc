#include "tacit/anonymize/policy_population_internal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tacit::anonymize {
namespace {

using ::testing::HasSubstr;

Result<Policy> parsed(const std::string& rest) {
  return Policy::parse("[columns]\nage = 'quasi-identifier'\n" + rest, "data/policy.toml");
}

TEST(PolicyPopulation, IsReadBesideThePolicy) {
  const auto policy = parsed(
      "[privacy]\nk_map = 5\ndelta_presence = {least = 0, most = 0.5}\n"
      "[population]\nfile = 'census.csv'\n");
  ASSERT_TRUE(policy) << policy.error().message();
  EXPECT_EQ(policy->population, "data/census.csv");
  ASSERT_EQ(policy->criteria.size(), 2U);
  EXPECT_EQ(name(policy->criteria[0]), "5-map");
  EXPECT_EQ(name(policy->criteria[1]), "(0,0.5)-presence");
  EXPECT_TRUE(std::ranges::all_of(policy->criteria, needs_population));
}

TEST(PolicyPopulation, GoesWithItsCriteria) {
  const auto message = [](const std::string& rest) {
    const auto policy = parsed(rest);
    return policy ? std::string("accepted") : policy.error().message();
  };
  EXPECT_THAT(message("[privacy]\nk_map = 5\n"), HasSubstr("need a table of the population"));
  EXPECT_THAT(message("[privacy]\nk = 5\n[population]\nfile = 'census.csv'\n"),
              HasSubstr("no criterion speaks of the population"));
  EXPECT_THAT(message("[privacy]\nk_map = 5\n[population]\n"), HasSubstr("names no file"));
  EXPECT_THAT(message("[privacy]\nk_map = 5\n[population]\nfile = 'c.csv'\nsize = 3\n"),
              HasSubstr("size"));
  EXPECT_THAT(message("[privacy]\ndelta_presence = {least = 0.6, most = 0.5}\n"),
              HasSubstr("at most 'most'"));
  const auto changed = Policy::parse(
      "[columns]\nage = {role = 'quasi-identifier', top = 90}\n[privacy]\nk_map = 5\n"
      "[population]\nfile = 'census.csv'\n",
      "policy.toml");
  ASSERT_FALSE(changed);
  EXPECT_THAT(changed.error().what, HasSubstr("cannot be found in the population"));
}

}  // namespace
}  // namespace tacit::anonymize

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tacit/anonymize/policy.h"

namespace tacit::anonymize {
namespace {

using ::testing::HasSubstr;

Result<Policy> with(const std::string& change, const std::string& role = "other") {
  return Policy::parse("[columns]\nage = \"quasi-identifier\"\nx = {role = \"" + role + "\", " +
                           change + "}\n[privacy]\nk = 5\n",
                       "policy.toml");
}

std::string read(const std::string& change) {
  const auto policy = with(change);
  return policy ? policy->columns[1].change.to_string() : policy.error().message();
}

TEST(PolicyChange, ReadsWhatIsDoneToAColumn) {
  EXPECT_EQ(read("bottom = 18, top = 90.5"), "at least 18, at most 90.5");
  EXPECT_EQ(read("microaggregate = 5"), "means of groups of 5");
  EXPECT_EQ(read("microaggregate = {k = 3, center = \"median\"}"), "medians of groups of 3");
  EXPECT_EQ(read("rank_swap = 0.05, round = 10"), "swapped within 5% of ranks, rounded to 10");
  EXPECT_EQ(read("pram = {probability = 0.3, invariant = true, alpha = 0.1, beta = 0.5}"),
            "replaced with probability 0.3 by the column's own shares");
  EXPECT_EQ(read("round = {to = 0.5, random = true}"), "rounded to 0.5 at random");
}

TEST(PolicyChange, RefusesWithTheLine) {
  EXPECT_THAT(read("bottom = 9, top = 8"), HasSubstr("policy.toml:3: 'top' must not be below"));
  EXPECT_THAT(read("microaggregate = {k = 3, center = \"mode\"}"), HasSubstr("\"median\""));
  EXPECT_THAT(read("rank_swap = 0"), HasSubstr("above 0 and at most 1"));
  EXPECT_THAT(read("pram = {invariant = true}"), HasSubstr("needs a probability"));
  EXPECT_THAT(read("pram = {probability = 0.3, alpha = 0.1}"), HasSubstr("need each other"));
  EXPECT_THAT(read("pram = {probability = 0.3, alpha = 0.5, beta = 0.1}"), HasSubstr("below"));
  EXPECT_THAT(read("pram = 0.3, round = 5"), HasSubstr("as they are"));
  EXPECT_THAT(read("noise = {deviation = -1}"), HasSubstr("above 0"));
  EXPECT_THAT(read("round = {random = true}"), HasSubstr("needs 'to'"));
  EXPECT_THAT(with("top = 5", "identifier").error().message(), HasSubstr("is not changed"));
}

// The proof of private tables knows nothing of it.
TEST(PolicyChange, IsNotForPrivateTables) {
  const auto refused = Policy::parse(
      "[columns]\nid = \"identifier\"\nage = {role = \"quasi-identifier\", top = 90}\n[privacy]\n"
      "differential = {epsilon = 1, delta = 1e-6, unit = {column = \"id\"}}\n",
      "policy.toml");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("take out: at most 90"));
}

}  // namespace
}  // namespace tacit::anonymize

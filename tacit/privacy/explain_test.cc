#include "tacit/privacy/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace tacit {
namespace {

using testing::HasSubstr;

TEST(Explain, ThePosteriorIsBayesRule) {
  const double e = std::exp(1.0);
  EXPECT_NEAR(largest_posterior({1, 0}, 0.1), 0.1 * e / (0.9 + 0.1 * e), 1e-14);
  EXPECT_NEAR(largest_posterior({0, 0}, 0.1), 0.1, 1e-15);
  EXPECT_LE(largest_posterior({1000, 0}, 0.1), 1);
  EXPECT_GE(largest_posterior({1, 1e-5}, 0.1), largest_posterior({1, 0}, 0.1));
}

// Randomized response reaches the bound, so it is not only true but tight.
TEST(Explain, ASurveyReachesThePosterior) {
  const double truth = 0.75;
  const double prior = 0.1;
  const double posterior = prior * truth / (prior * truth + (1 - prior) * (1 - truth));
  EXPECT_NEAR(largest_posterior({std::log(3.0), 0}, prior), posterior, 1e-14);
}

TEST(Explain, ChancesGrowByTheDefinitionAndItsComplement) {
  EXPECT_NEAR(largest_chance({1, 1e-3}, 0.01), std::exp(1.0) * 0.01 + 1e-3, 1e-14);
  EXPECT_NEAR(largest_chance({1, 0}, 0.9), 1 - std::exp(-1.0) * 0.1, 1e-14);
  EXPECT_EQ(largest_chance({1000, 0}, 0.5), 1);
  EXPECT_NEAR(largest_chance({0, 0.1}, 0.95), 1, 1e-12);
}

TEST(Explain, FamiliesMultiplyEpsilonAndGrowDelta) {
  const Guarantee family = for_family({0.5, 1e-6}, 3);
  EXPECT_NEAR(family.epsilon, 1.5, 1e-15);
  EXPECT_NEAR(family.delta, 1e-6 * (1 + std::exp(0.5) + std::exp(1.0)), 1e-18);
  EXPECT_EQ(for_family({10, 1e-5}, 4).delta, 1);
}

TEST(Explain, SaysItInPlainWords) {
  const std::string pure = explain({std::log(3.0), 0}, Neighbours::kReplace, {});
  EXPECT_THAT(pure, HasSubstr("10% sure"));
  EXPECT_THAT(pure, HasSubstr("This holds for every"));
  EXPECT_THAT(pure, HasSubstr("took part is public"));
  const std::string approximate = explain({1, 1e-5}, Neighbours::kAddRemove, {.family = 100});
  EXPECT_THAT(approximate, HasSubstr("1e-05 (1 in 100000)"));
  EXPECT_THAT(approximate, HasSubstr("family of 100 together this guarantee promises nothing"));
  for (std::size_t at = 0; at < approximate.size();) {
    const std::size_t end = approximate.find('\n', at);
    EXPECT_LE(end - at, 78);
    at = end + 1;
  }
}

}  // namespace
}  // namespace tacit

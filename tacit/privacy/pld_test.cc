#include "tacit/privacy/pld.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tacit/privacy/testing/shared_vectors.h"

namespace tacit {
namespace {

Rational number(double value) { return *Rational::decimal(value); }

Cost leaf(cost::Node node) { return *Cost::leaf(std::move(node)); }
Cost gaussian(double noise) { return leaf(cost::Gaussian{number(noise)}); }
Cost laplace(double noise) { return leaf(cost::Laplace{number(noise)}); }
Cost pure(double epsilon) { return leaf(cost::Pure{number(epsilon)}); }
Cost sampled(double rate, const Cost& part) { return *Cost::poisson_sample(number(rate), part); }
Cost repeated(std::uint64_t times, const Cost& part) { return *Cost::repeat(times, part); }
Cost composed(std::vector<Cost> parts) { return *Cost::compose(std::move(parts)); }

ProvedBounds epsilon_of(const Cost& cost, double delta) {
  const Result<ProvedBounds> bracket = pld_epsilon(cost, delta);
  EXPECT_TRUE(bracket) << (bracket ? "" : bracket.error().message());
  return bracket.value_or(ProvedBounds{});
}

ProvedBounds delta_of(const Cost& cost, double epsilon) {
  const Result<ProvedBounds> bracket = pld_delta(cost, epsilon);
  EXPECT_TRUE(bracket) << (bracket ? "" : bracket.error().message());
  return bracket.value_or(ProvedBounds{});
}

void expect_holds(const ProvedBounds& bracket, double truth, double tolerance = 0) {
  EXPECT_LE(bracket.lower, truth * (1 + tolerance));
  EXPECT_GE(bracket.upper, truth * (1 - tolerance));
}

void expect_sharp(const ProvedBounds& bracket, double width = 1e-3) {
  EXPECT_LE(bracket.lower, bracket.upper);
  EXPECT_LE(bracket.upper - bracket.lower, width * bracket.upper);
}

using PldVectors = SharedVectors;

TEST_F(PldVectors, SubsampledGaussian) {
  for (const nlohmann::json& item : vectors_["subsampled_gaussian"]) {
    SCOPED_TRACE(item.dump());
    const Cost cost = repeated(item["steps"], sampled(item["q"], gaussian(item["sigma"])));
    const ProvedBounds bracket = epsilon_of(cost, item["delta"]);
    // The values are given to five or six digits.
    expect_holds(bracket, item["pld"], 2e-5);
    expect_sharp(bracket);
  }
}

TEST_F(PldVectors, GaussianDeltas) {
  for (const char* name : {"gaussian_delta", "gaussian_pld"}) {
    for (const nlohmann::json& item : vectors_[name]) {
      SCOPED_TRACE(item.dump());
      Cost one = gaussian(item["sigma"]);
      if (item.contains("q")) one = sampled(item["q"], one);
      const std::uint64_t times = item.value("times", std::uint64_t{1});
      const ProvedBounds bracket = delta_of(repeated(times, one), item["epsilon"]);
      expect_holds(bracket, item["delta"], 2e-5);
      expect_sharp(bracket);
    }
  }
}

TEST_F(PldVectors, AnalyticGaussianNoiseMeetsItsTarget) {
  for (const nlohmann::json& item : vectors_["analytic_gaussian_sigma"]) {
    const ProvedBounds bracket = epsilon_of(gaussian(item[2]), item[1]);
    expect_holds(bracket, item[0], 1e-9);
    expect_sharp(bracket, 1e-7);
  }
}

TEST_F(PldVectors, LaplaceScalesMeetTheirTarget) {
  const nlohmann::json& item = vectors_["laplace_scale_for_target"];
  for (const nlohmann::json& value : item["values"]) {
    const ProvedBounds bracket = epsilon_of(repeated(value[0], laplace(value[1])), item["delta"]);
    expect_holds(bracket, item["epsilon"], 5e-5);
    expect_sharp(bracket);
  }
}

TEST_F(PldVectors, OptimalCompositionOfApproximateGuarantees) {
  for (const nlohmann::json& item : vectors_["optimal_composition"]) {
    const Cost one = leaf(cost::Approximate{number(item["epsilon"]), number(item["delta"])});
    for (const nlohmann::json& total : item["total"]) {
      const ProvedBounds bracket = epsilon_of(repeated(item["times"], one), total[0]);
      expect_holds(bracket, total[1], 5e-6);
      expect_sharp(bracket);
    }
  }
}

// n answers of randomized response: the loss is epsilon times a binomial difference.
double binomial_delta(int times, double epsilon, double target) {
  long double sum = 0;
  const long double log_p = -std::log1p(std::exp(-static_cast<long double>(epsilon)));
  const long double log_q = -std::log1p(std::exp(static_cast<long double>(epsilon)));
  for (int k = 0; k <= times; ++k) {
    const long double loss = static_cast<long double>(epsilon) * ((2 * k) - times);
    if (loss <= target) continue;
    const long double log_choose =
        std::lgamma(times + 1.0L) - std::lgamma(k + 1.0L) - std::lgamma(times - k + 1.0L);
    sum += std::exp(log_choose + (k * log_p) + ((times - k) * log_q)) * -std::expm1(target - loss);
  }
  return static_cast<double>(sum);
}

TEST(Pld, PureGuaranteesComposeToABinomial) {
  for (const int times : {2, 3, 10, 200}) {
    for (const double epsilon : {0.05, 0.3, 1.0}) {
      for (const double target : {0.0, 0.4, 0.77, 1.9}) {
        SCOPED_TRACE(testing::Message() << times << " x " << epsilon << " at " << target);
        const double truth = binomial_delta(times, epsilon, target);
        const ProvedBounds bracket =
            delta_of(repeated(static_cast<std::uint64_t>(times), pure(epsilon)), target);
        expect_holds(bracket, truth, 1e-12);
        if (truth > 1e-250) expect_sharp(bracket, 1e-6);
      }
    }
  }
}

TEST(Pld, RandomizedResponseIsItsOwnPureGuarantee) {
  const double truth = 0.75;
  const Cost answer = *Cost::leaf(cost::RandomizedResponse{2, number(truth)}, Neighbours::kReplace);
  for (const double target : {0.5, 3.0, 10.0}) {
    expect_holds(delta_of(repeated(40, answer), target), binomial_delta(40, std::log(3.0), target),
                 1e-10);
  }
}

// Different guarantees, off each other's lattice, against all combinations of their two losses.
TEST(Pld, DifferentPureGuaranteesHoldTheSumOverAllOutcomes) {
  const std::vector<double> epsilons = {0.11, 0.23, 0.47, 0.31, 0.7, 0.05};
  std::vector<Cost> parts;
  for (const double epsilon : epsilons) parts.push_back(pure(epsilon));
  for (const double target : {0.0, 0.3, 1.0, 1.6}) {
    long double truth = 0;
    for (unsigned outcome = 0; outcome < (1U << epsilons.size()); ++outcome) {
      long double loss = 0;
      long double mass = 1;
      for (std::size_t i = 0; i < epsilons.size(); ++i) {
        const double signed_loss = ((outcome >> i) & 1U) != 0 ? epsilons[i] : -epsilons[i];
        loss += signed_loss;
        mass /= 1 + std::exp(-static_cast<long double>(signed_loss));
      }
      if (loss > target) truth += mass * -std::expm1(target - loss);
    }
    const ProvedBounds bracket = delta_of(composed(parts), target);
    expect_holds(bracket, static_cast<double>(truth), 1e-12);
    expect_sharp(bracket, 2e-3);
  }
}

TEST(Pld, TinyDeltasKeepTheirRelativeWidth) {
  for (const double delta : {1e-10, 1e-14, 1e-20, 1e-40}) {
    expect_sharp(epsilon_of(repeated(100, laplace(10)), delta), 1e-4);
    expect_sharp(epsilon_of(repeated(1000, sampled(0.01, gaussian(1))), delta), 1e-3);
  }
}

TEST(Pld, ComposingTwiceIsRepeatingTwice) {
  const Cost one = sampled(0.1, laplace(1.5));
  const ProvedBounds listed = epsilon_of(composed({one, gaussian(3), one, gaussian(3)}), 1e-6);
  const ProvedBounds counted = epsilon_of(repeated(2, composed({gaussian(3), one})), 1e-6);
  EXPECT_DOUBLE_EQ(listed.upper, counted.upper);
  EXPECT_DOUBLE_EQ(listed.lower, counted.lower);
}

TEST(Pld, DeltaAndEpsilonAgree) {
  const Cost cost = repeated(300, sampled(0.02, laplace(0.9)));
  const ProvedBounds epsilon = epsilon_of(cost, 1e-6);
  EXPECT_LE(delta_of(cost, epsilon.upper * (1 + 1e-5)).lower, 1e-6);
  EXPECT_GE(delta_of(cost, epsilon.lower * (1 - 1e-5)).upper, 1e-6);
}

TEST(Pld, MoreIsNeverLess) {
  std::mt19937_64 generator(7);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (int trial = 0; trial < 20; ++trial) {
    const double rate = 0.01 + (0.3 * uniform(generator));
    const double noise = 0.8 + (3 * uniform(generator));
    const auto times = static_cast<std::uint64_t>(2 + (200 * uniform(generator)));
    const auto cost = [&](double q, double s, std::uint64_t n) {
      return trial % 2 == 0 ? repeated(n, sampled(q, gaussian(s)))
                            : repeated(n, sampled(q, laplace(s)));
    };
    const ProvedBounds base = epsilon_of(cost(rate, noise, times), 1e-6);
    expect_sharp(base);
    EXPECT_GT(epsilon_of(cost(rate * 1.05, noise, times), 1e-6).lower, base.upper);
    EXPECT_GT(epsilon_of(cost(rate, noise, times + 20), 1e-6).lower, base.upper);
    // A tenth less noise is told apart.
    EXPECT_GT(epsilon_of(cost(rate, noise * 0.9, times), 1e-6).lower, base.upper);
    EXPECT_LT(epsilon_of(cost(rate, noise, times), 2e-6).upper, base.lower);
  }
}

TEST(Pld, SamplingEverybodyIsNotSampling) {
  const ProvedBounds all = epsilon_of(repeated(10, sampled(1, laplace(5))), 1e-6);
  const ProvedBounds plain = epsilon_of(repeated(10, laplace(5)), 1e-6);
  EXPECT_DOUBLE_EQ(all.upper, plain.upper);
  EXPECT_EQ(epsilon_of(repeated(10, sampled(0, laplace(5))), 1e-6).upper, 0);
}

TEST(Pld, ExponentialMechanismsComposeBetterThanPureOnes) {
  const Cost exponential = leaf(cost::Exponential{number(0.5)});
  const ProvedBounds bounded = epsilon_of(repeated(50, exponential), 1e-6);
  EXPECT_LT(bounded.upper, 0.75 * epsilon_of(repeated(50, pure(0.5)), 1e-6).lower);
  expect_sharp(bounded);
  EXPECT_LE(epsilon_of(exponential, 1e-12).upper, 0.5);
}

TEST(Pld, DisjointPartsCostTheWorstOfThem) {
  const Cost small = repeated(3, laplace(4));
  const Cost large = repeated(5, laplace(2));
  EXPECT_DOUBLE_EQ(epsilon_of(*Cost::parallel({small, large}), 1e-6).upper,
                   epsilon_of(large, 1e-6).upper);
  const Cost twins = *Cost::parallel({small, small});
  EXPECT_DOUBLE_EQ(epsilon_of(composed({twins, large}), 1e-6).upper,
                   epsilon_of(composed({small, large}), 1e-6).upper);
  EXPECT_FALSE(pld_epsilon(composed({*Cost::parallel({small, large}), large}), 1e-6));
}

TEST(Pld, GroupsAndReplacementScaleTheSensitivity) {
  const Cost pair = *Cost::group(2, composed({gaussian(4), laplace(6)}));
  const ProvedBounds doubled = epsilon_of(composed({gaussian(2), laplace(3)}), 1e-6);
  EXPECT_DOUBLE_EQ(epsilon_of(pair, 1e-6).upper, doubled.upper);
  const Cost replaced = *Cost::as_replace(composed({gaussian(4), laplace(6)}));
  EXPECT_DOUBLE_EQ(epsilon_of(replaced, 1e-6).upper, doubled.upper);
  EXPECT_DOUBLE_EQ(epsilon_of(*Cost::group(3, pure(0.2)), 1e-6).upper,
                   epsilon_of(pure(0.6), 1e-6).upper);
}

TEST(Pld, InfinityWhereNoEpsilonWillDo) {
  const Cost cost = repeated(20, leaf(cost::Approximate{number(0.1), number(1e-5)}));
  EXPECT_EQ(epsilon_of(cost, 1e-4).upper, std::numeric_limits<double>::infinity());
  EXPECT_EQ(epsilon_of(cost, 1e-4).lower, std::numeric_limits<double>::infinity());
  expect_holds(delta_of(cost, 50), -std::expm1(20 * std::log1p(-1e-5)), 1e-9);
}

TEST(Pld, AMillionSmallAnswersHaveABracket) {
  const ProvedBounds bracket = epsilon_of(repeated(1000000, pure(0.01)), 1e-6);
  expect_holds(bracket, 97.8, 0.05);
  expect_sharp(bracket, 1e-5);
}

TEST(Pld, RefusesByNameWhatHasNoPair) {
  const auto refusal = [](const Result<Cost>& cost) {
    const Result<ProvedBounds> bracket = pld_epsilon(*cost, 1e-6);
    EXPECT_FALSE(bracket);
    return bracket ? std::string() : bracket.error().message();
  };
  using testing::Message;
  EXPECT_NE(refusal(Cost::leaf(cost::Zcdp{number(0.1), number(0)})).find("zCDP"),
            std::string::npos);
  EXPECT_NE(refusal(Cost::leaf(cost::NoneProved{"k-anonymous"})).find("no differential-privacy"),
            std::string::npos);
  EXPECT_NE(refusal(Cost::group(2, sampled(0.1, gaussian(1)))).find("sample"), std::string::npos);
  EXPECT_NE(refusal(Cost::leaf(cost::DiscreteGaussian{number(4), 1, 2})).find("coordinates"),
            std::string::npos);
  EXPECT_NE(refusal(Cost::poisson_sample(number(0.1), composed({gaussian(1), laplace(1)})))
                .find("more than one mechanism"),
            std::string::npos);
}

TEST(Pld, RefusesMoreCompositionsThanCanBeCounted) {
  const Cost half = repeated(std::uint64_t{1} << 63U, laplace(1000));
  for (const Cost& cost : {composed({half, half, laplace(1000)}), composed({half, half}),
                           repeated(std::uint64_t{1} << 63U, repeated(2, laplace(1000)))}) {
    const Result<ProvedBounds> bracket = pld_epsilon(cost, 1e-6);
    ASSERT_FALSE(bracket);
    EXPECT_NE(bracket.error().message().find("more than 2^64 compositions"), std::string::npos);
  }
}

TEST(Pld, MoreStepsThanTheTransformCanTellGiveNoSmallEpsilon) {
  const Cost many = repeated(std::uint64_t{1} << 62U, laplace(1000));
  EXPECT_GE(epsilon_of(many, 1e-6).upper, 1e12);
  EXPECT_GE(epsilon_of(composed({many, laplace(2)}), 1e-6).upper, 1e12);
  EXPECT_EQ(delta_of(many, 1).upper, 1);
}

// Each unit of the group is sampled by its own coin: both with probability 1e-4, one with 0.0198.
TEST(Pld, RefusesASampleOverAGroup) {
  const Cost group = *Cost::group(2, gaussian(1));
  for (const Cost& cost : {sampled(0.01, group), repeated(3, sampled(0.01, repeated(1, group)))}) {
    const Result<ProvedBounds> bracket = pld_delta(cost, 0);
    ASSERT_FALSE(bracket);
    EXPECT_NE(bracket.error().message().find("sample over a group"), std::string::npos);
  }
}

TEST(Pld, TwoLaplaceStepsCostNearlyTwice) {
  // A quarter of P pays 1 - e^(epsilon - 2/b), and what lies below the top atom a little more.
  for (const auto& [noise, truth] : {std::pair{2.0, 0.99996}, std::pair{3.0, 0.666627}}) {
    const ProvedBounds bracket = epsilon_of(repeated(2, laplace(noise)), 1e-5);
    expect_holds(bracket, truth, 1e-6);
    expect_sharp(bracket);
  }
}

TEST(Pld, NeverAboveTheSumOfPureEpsilons) {
  EXPECT_LE(epsilon_of(composed({laplace(2), repeated(3, laplace(1.2))}), 1e-15).upper, 3);
  EXPECT_LE(epsilon_of(composed({laplace(0.5), repeated(3, laplace(3))}), 1e-15).upper, 3);
  EXPECT_EQ(delta_of(repeated(2, laplace(2)), 1).upper, 0);
}

TEST(Pld, NearlyCertainTruthsKeepTheirLoss) {
  const Cost answer = *Cost::leaf(
      cost::RandomizedResponse{2, *Rational::parse("0.9999999999999999")}, Neighbours::kReplace);
  const ProvedBounds bracket = epsilon_of(answer, 1e-20);
  expect_holds(bracket, 16 * std::log(10.0), 1e-13);
  expect_sharp(bracket);
}

TEST(Pld, SingleLaplaceIsNotBelowItsPureEpsilonAtATinyDelta) {
  for (const double noise : {3.0, 7.0, 49.0, 0.3}) {
    EXPECT_GE(epsilon_of(laplace(noise), 1e-300).upper, (Rational(1) / number(noise)).upper());
  }
}

TEST(Pld, FewRepetitionsOfAtomsHaveASharpBracket) {
  const auto discrete = [](double scale, std::uint64_t sensitivity) {
    return leaf(cost::DiscreteLaplace{number(scale), sensitivity});
  };
  for (const double scale : {0.7, 5.0, 20.0}) {
    for (const std::uint64_t sensitivity : {1U, 2U, 3U}) {
      for (const std::uint64_t times : {2U, 3U, 8U}) {
        SCOPED_TRACE(testing::Message() << times << " x " << scale << ", " << sensitivity);
        expect_sharp(epsilon_of(repeated(times, discrete(scale, sensitivity)), 1e-5));
      }
    }
  }
  // Twice the loss 1/5 with probability 1 / (1 + e^(-1/5)) each.
  const double top = std::pow(1 / (1 + std::exp(-0.2)), 2);
  expect_holds(epsilon_of(repeated(2, discrete(5, 1)), 1e-5), 0.4 + std::log1p(-1e-5 / top), 1e-10);
}

// The delta of the part is a third, finite loss when a unit is added to a sample.
TEST(Pld, SampledApproximateGuaranteesHaveASharpDelta) {
  const Cost part = leaf(cost::Approximate{number(3), number(1e-6)});
  const ProvedBounds bracket = delta_of(repeated(2, sampled(0.1, part)), 1.06766);
  expect_holds(bracket, 0.01249, 1e-3);
  expect_sharp(bracket);
}

// e^-800 has no double, and the transform holds no loss above 500: what is said is still true.
TEST(Pld, EpsilonsBeyondTheRangeOfDoublesStayFinite) {
  const auto approximate = [](double epsilon) {
    return leaf(cost::Approximate{number(epsilon), number(1e-9)});
  };
  const std::vector<std::pair<Cost, double>> largest{
      {approximate(600), 600},
      {approximate(800), 800},
      {repeated(3, approximate(800)), 2400},
      {composed({approximate(800), laplace(2)}), 800.5},
      {repeated(3, sampled(0.5, approximate(800))), 2400},
      {repeated(2, sampled(0.5, pure(800))), 1600},
      {pure(800), 800}};
  for (const auto& [cost, most] : largest) {
    SCOPED_TRACE(cost.to_text());
    const ProvedBounds bracket = epsilon_of(cost, 1e-5);
    EXPECT_LE(bracket.lower, most);
    EXPECT_GE(bracket.upper, most - 5);
    EXPECT_LE(bracket.upper, most * (1 + 1e-9));
  }
  expect_sharp(epsilon_of(approximate(600), 1e-5));
  EXPECT_LT(delta_of(approximate(800), 900).upper, 1e-8);
}

TEST(Pld, TheRarestLiesKeepTheirLoss) {
  const Rational truth = Rational(1) - Rational(mpq_class(1, mpz_class(1) << 600U));
  const Cost answer = *Cost::leaf(cost::RandomizedResponse{2, truth}, Neighbours::kReplace);
  EXPECT_LE(epsilon_of(answer, 1e-9).lower, 600 * std::log(2.0));
  EXPECT_GE(epsilon_of(answer, 1e-9).upper, (600 * std::log(2.0)) - 1e-6);
}

TEST(Pld, RefusesTargetsWithoutMeaning) {
  EXPECT_FALSE(pld_epsilon(gaussian(1), 0));
  EXPECT_FALSE(pld_epsilon(gaussian(1), 1));
  EXPECT_FALSE(pld_epsilon(gaussian(1), std::nan("")));
  EXPECT_FALSE(pld_delta(gaussian(1), -1));
  EXPECT_FALSE(pld_delta(gaussian(1), std::nan("")));
}

TEST(Pld, NothingCostsNothing) {
  EXPECT_EQ(epsilon_of(Cost::nothing(), 1e-6).upper, 0);
  EXPECT_EQ(delta_of(repeated(7, Cost::nothing()), 0).upper, 0);
}

}  // namespace
}  // namespace tacit

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "tacit/privacy/rdp.h"
#include "tacit/privacy/testing/renyi_costs.h"

namespace tacit {
namespace {

using testing_costs::at;
using testing_costs::expect_close_from_above;
using testing_costs::leaf;
using testing_costs::number;
using testing_costs::pure;
using testing_costs::refusal;
using testing_costs::sampled_gaussian;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Compositions.

TEST(RenyiCost, ParallelPartsCostTheLargest) {
  const Cost small = leaf(cost::Gaussian{number("4")});
  const Cost large = leaf(cost::Gaussian{number("2")});
  const Cost parts = Cost::parallel({small, large, small}).value();
  EXPECT_EQ(at(parts, 5), at(large, 5));
  // Read for replace: one part changes by two units, or two parts by one each.
  const Cost replaced = Cost::as_replace(parts).value();
  expect_close_from_above(at(replaced, 5), 4 * at(large, 5));
  const Cost lines = Cost::parallel({pure("0.2"), pure("4"), pure("3.9")}).value();
  EXPECT_GE(at(Cost::as_replace(lines).value(), 5), at(pure("4"), 5) + at(pure("3.9"), 5));
}

TEST(RenyiCost, ParallelTakesDeltasAndOrdersSeparately) {
  const Cost first = leaf(cost::Approximate{number("1"), number("1e-6")});
  const Cost second = leaf(cost::Approximate{number("0.1"), number("1e-5")});
  const std::vector orders = {2.0};
  const RenyiBound bound = renyi_bound(Cost::parallel({first, second}).value(), orders).value();
  EXPECT_EQ(bound.epsilons[0], at(pure("1"), 2));
  EXPECT_EQ(bound.delta, number("1e-5"));
}

TEST(RenyiCost, GroupsOfLeaves) {
  const auto group = [](std::uint64_t size, const Cost& part) {
    return Cost::group(size, part).value();
  };
  expect_close_from_above(at(group(3, leaf(cost::Gaussian{number("3")})), 4),
                          at(leaf(cost::Gaussian{number("1")}), 4));
  EXPECT_EQ(at(group(3, pure("0.5")), 4), at(pure("1.5"), 4));
  EXPECT_EQ(at(group(2, leaf(cost::Laplace{number("2")})), 4),
            at(leaf(cost::Laplace{number("1")}), 4));
  EXPECT_EQ(at(group(2, leaf(cost::DiscreteLaplace{number("2"), 3})), 4),
            at(leaf(cost::DiscreteLaplace{number("2"), 6}), 4));
  EXPECT_EQ(at(group(2, leaf(cost::Exponential{number("1")})), 4),
            at(leaf(cost::Exponential{number("2")}), 4));
  expect_close_from_above(at(group(2, leaf(cost::Zcdp{number("0.1"), 0})), 4), 1.6);
  expect_close_from_above(at(group(2, leaf(cost::DiscreteGaussian{number("8"), 2})), 4), 2);
  const Cost answer = leaf(cost::RandomizedResponse{4, number("0.7")}, Neighbours::kReplace);
  expect_close_from_above(at(group(5, answer), 4), 5 * at(answer, 4));
  // Groups of groups multiply, and pass through compositions.
  EXPECT_EQ(at(group(2, Cost::repeat(7, group(3, pure("0.1"))).value()), 2),
            at(Cost::repeat(7, pure("0.6")).value(), 2));
}

TEST(RenyiCost, GroupOfApproximateGrowsItsDelta) {
  const Cost cost = leaf(cost::Approximate{number("1"), number("1e-9")});
  const std::vector orders = {2.0};
  const RenyiBound bound = renyi_bound(Cost::group(3, cost).value(), orders).value();
  const double e = std::exp(1.0);
  expect_close_from_above(bound.delta.upper(), 1e-9 * (1 + e + e * e));
  EXPECT_EQ(bound.epsilons[0], at(pure("3"), 2));
  EXPECT_EQ(renyi_bound(Cost::group(100, cost).value(), orders)->delta, 1);
}

TEST(RenyiCost, GroupsOfBareCurvesFollowMironov) {
  const Cost curve = leaf(cost::Renyi{{{2, number("0.1")}, {16, number("0.8")}}});
  EXPECT_GE(at(Cost::group(2, curve).value(), 2), 0.2);
  EXPECT_LT(at(Cost::group(2, curve).value(), 2), 3 * 0.8);
  EXPECT_EQ(at(Cost::group(2, curve).value(), 17), kInfinity);
}

// Subsamples.

TEST(RenyiCost, PoissonSamplesOfWholeAndNothing) {
  const Cost gaussian = leaf(cost::Gaussian{number("2")});
  for (const double order : {1.5, 2.0, 20.0}) {
    expect_close_from_above(at(sampled_gaussian("1", "2"), order), at(gaussian, order));
    EXPECT_EQ(at(sampled_gaussian("0", "2"), order), 0);
  }
}

TEST(RenyiCost, SamplingTwiceIsSamplingAtTheProduct) {
  const Cost twice = Cost::poisson_sample(number("0.2"), sampled_gaussian("0.05", "1.5")).value();
  EXPECT_EQ(at(twice, 7), at(sampled_gaussian("0.01", "1.5"), 7));
}

TEST(RenyiCost, SampledCompositionOfGaussiansIsOneGaussian) {
  const Cost four = Cost::repeat(4, leaf(cost::Gaussian{number("3")})).value();
  const Cost sampled = Cost::poisson_sample(number("0.05"), four).value();
  expect_close_from_above(at(sampled, 7.5), at(sampled_gaussian("0.05", "1.5"), 7.5), 1e-11);
}

TEST(RenyiCost, DiscreteGaussianIsSampledAsTheGaussianAtIntegerOrders) {
  const Cost discrete = leaf(cost::DiscreteGaussian{number("2.25"), 1});
  const Cost sampled = Cost::poisson_sample(number("0.05"), discrete).value();
  for (const double order : {2.0, 9.0, 30.0}) {
    expect_close_from_above(at(sampled, order), at(sampled_gaussian("0.05", "1.5"), order), 1e-9);
  }
  // Between them by the chord, and composed inside one sample by the bound for any curve.
  EXPECT_GE(at(sampled, 3.5), at(sampled_gaussian("0.05", "1.5"), 3.5));
  const Cost two = Cost::poisson_sample(number("0.05"), Cost::repeat(2, discrete).value()).value();
  EXPECT_GE(at(two, 3), at(sampled, 3));
  EXPECT_LT(at(two, 3), at(Cost::repeat(2, discrete).value(), 3));
}

TEST(RenyiCost, SampledApproximateLeavesShrinkBothNumbers) {
  const Cost cost = leaf(cost::PartitionSelection{number("1"), number("1e-6")});
  const std::vector orders = {4.0};
  const Cost sampled = Cost::poisson_sample(number("0.1"), cost).value();
  const RenyiBound bound = renyi_bound(sampled, orders).value();
  expect_close_from_above(bound.delta.upper(), 1e-7);
  const double pure_amplified = std::log1p(0.1 * std::expm1(1));
  EXPECT_LT(bound.epsilons[0], pure_amplified);
}

TEST(RenyiCost, SamplesOfParallelPartsAreParallelSamples) {
  const Cost a = leaf(cost::Gaussian{number("2")});
  const Cost b = leaf(cost::Gaussian{number("1")});
  const Cost sampled = Cost::poisson_sample(number("0.1"), Cost::parallel({a, b}).value()).value();
  EXPECT_EQ(at(sampled, 6.5), at(sampled_gaussian("0.1", "1"), 6.5));
}

TEST(RenyiCost, SampledStepsReadForReplaceCoverTwoSteps) {
  const Cost replaced = Cost::as_replace(sampled_gaussian("0.01", "2")).value();
  EXPECT_GT(at(replaced, 4), 2 * at(sampled_gaussian("0.01", "2"), 4));
  EXPECT_LT(at(replaced, 4), 10 * at(sampled_gaussian("0.01", "2"), 4));
}

TEST(RenyiCost, FixedSizeSamples) {
  const auto fixed = [](const Cost& part) {
    return Cost::fixed_size_sample(10, 1000, part).value();
  };
  const Cost gaussian = leaf(cost::Gaussian{number("2")}, Neighbours::kReplace);
  EXPECT_LT(at(fixed(gaussian), 4), at(gaussian, 4) / 100);
  const Cost plain = leaf(cost::Pure{number("1")}, Neighbours::kReplace);
  const double amplified = std::log1p(0.01 * std::expm1(1));
  EXPECT_LE(at(fixed(plain), 4), amplified * (1 + 1e-12));
  EXPECT_EQ(at(Cost::fixed_size_sample(7, 7, gaussian).value(), 4), at(gaussian, 4));
  const Cost selection =
      leaf(cost::PartitionSelection{number("1"), number("1e-6")}, Neighbours::kReplace);
  const std::vector orders = {4.0};
  expect_close_from_above(renyi_bound(fixed(selection), orders)->delta.upper(), 1e-8);
  const Cost both = Cost::compose({selection, gaussian}).value();
  EXPECT_EQ(refusal(fixed(both)),
            "nothing is proved of a fixed-size sample over a composition with a delta");
}

TEST(RenyiCost, RefusesGroupsAroundAndInsideSamples) {
  EXPECT_EQ(refusal(Cost::group(2, sampled_gaussian("0.1", "1")).value()),
            "nothing is proved of a group over a subsample");
  const Cost inside = Cost::group(2, pure("1")).value();
  EXPECT_EQ(refusal(Cost::poisson_sample(number("0.1"), inside).value()),
            "nothing is proved of a subsample over a group");
  EXPECT_EQ(refusal(Cost::group(2, leaf(cost::Zcdp{number("1"), number("1e-6")})).value()),
            "nothing is proved of a group under approximate zCDP");
}

TEST(RenyiCost, StepsWhoseNoiseAndRateChange) {
  std::vector<Cost> schedule;
  double sum = 0;
  for (int i = 0; i < 40; ++i) {
    const Cost step = sampled_gaussian(i % 2 == 0 ? "0.01" : "0.02", i < 20 ? "1.5" : "1.2");
    schedule.push_back(Cost::repeat(25, step).value());
    sum += 25 * at(step, 6.5);
  }
  expect_close_from_above(at(Cost::compose(std::move(schedule)).value(), 6.5), sum);
}

}  // namespace
}  // namespace tacit

#include "tacit/mechanisms/quantile/quantile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tacit/mechanisms/selection/testing/run_mechanism.h"
#include "tacit/mechanisms/testing/goodness_of_fit.h"
#include "tacit/mechanisms/testing/privacy_audit.h"

namespace tacit {
namespace {

using testing::number;
using testing::permit_for;
using testing::refusal;
using testing::system_stream;

constexpr std::uint64_t kTrials = 150'000;
using Values = std::vector<std::int64_t>;

Clamp between(std::int64_t lower, std::int64_t upper) {
  return Clamp::create(lower, upper, Grid()).value();
}

// One draw, without an interval.
Quantile mechanism(std::string_view share, Clamp clamp, std::string_view epsilon,
                   Contribution contribution = {}) {
  return Quantile::create({number(share)}, clamp, number(epsilon), {contribution, std::nullopt})
      .value();
}

template <class Input>
std::vector<Released<double>> answers(const Quantile& mechanism, const Input& values) {
  return mechanism.release(values, permit_for(mechanism.cost()), system_stream()).value();
}

template <class Input>
std::vector<double> run(const Quantile& mechanism, const Input& values) {
  std::vector<double> points;
  for (const auto& answer : answers(mechanism, values)) points.push_back(answer.value);
  return points;
}

// Cells: the points 0, ..., upper.
testing::CellCounts draw(const Quantile& mechanism, const Values& values, std::int64_t upper) {
  return testing::count_cells(kTrials, static_cast<std::size_t>(upper) + 1,
                              [&] { return run(mechanism, values).front(); });
}

// Straight from the definition, point by point.
std::vector<double> law(const Values& values, double share, double rate, std::int64_t upper) {
  std::vector<double> weights;
  double sum = 0;
  const auto n = static_cast<double>(values.size());
  for (std::int64_t point = 0; point <= upper; ++point) {
    const auto less = static_cast<double>(
        std::ranges::count_if(values, [&](std::int64_t value) { return value < point; }));
    const auto greater = static_cast<double>(
        std::ranges::count_if(values, [&](std::int64_t value) { return value > point; }));
    const double distance = std::max({0.0, less - share * n, greater - (1 - share) * n});
    sum += weights.emplace_back(std::exp(-rate * distance));
  }
  for (double& weight : weights) weight /= sum;
  return weights;
}

TEST(Quantile, FollowsItsLaw) {
  const Values values{2, 2, 2, 5, 9, 9, 1};
  const auto fits = [&](std::string_view epsilon, Contribution contribution, double rate) {
    return testing::fits_law(
        draw(mechanism("1/4", between(0, 9), epsilon, contribution), values, 9),
        law(values, 0.25, rate, 9));
  };
  // One value under add/remove moves a distance by at most 3/4: rate 1.5 / (2 · 3/4).
  testing::expect_accepts(fits("1.5", {}, 1));
  testing::expect_accepts(fits("2", {.neighbours = Neighbours::kReplace}, 1));
  testing::expect_accepts(fits("4", {.neighbours = Neighbours::kReplace, .rows = 2}, 1));
  testing::expect_rejects_wrong(fits("1.65", {}, 1), "scale 10% small");
  testing::expect_rejects_wrong(fits("6", {.neighbours = Neighbours::kReplace, .rows = 2}, 1),
                                "rows off by one");
}

TEST(Quantile, KeepsItsPromiseWhenAValueIsAdded) {
  const auto audit = [](std::string_view epsilon) {
    const auto median = mechanism("1/2", between(0, 100), epsilon);
    return testing::audit_privacy({.epsilon = 1},
                                  {draw(median, {0, 1}, 100), draw(median, {0, 1, 100}, 100)});
  };
  testing::expect_accepts(audit("1"));
  testing::expect_rejects_wrong(audit("1.7"), "epsilon 1.7 for 1");
}

TEST(Quantile, KeepsItsPromiseWhenAValueIsReplaced) {
  const auto audit = [](Neighbours neighbours) {
    const auto median = mechanism("1/2", between(0, 100), "1", {.neighbours = neighbours});
    return testing::audit_privacy({.epsilon = 1},
                                  {draw(median, {0, 1}, 100), draw(median, {100, 1}, 100)});
  };
  testing::expect_accepts(audit(Neighbours::kReplace));
  testing::expect_rejects_wrong(audit(Neighbours::kAddRemove),
                                "the sensitivity of add/remove for replace");
}

TEST(Quantile, ComesFromCountsAsFromValues) {
  const Values values{2, 2, 2, 5, 9, 9, 1};
  const std::vector<GridCount> counts{{9, 2}, {2, 3}, {1, 1}, {5, 1}, {7, 0}};
  const auto quarter = mechanism("1/4", between(0, 9), "1.5");
  const auto drawn = testing::count_cells(kTrials, 10, [&] {
    return quarter.release_counts(counts, permit_for(quarter.cost()), system_stream())
        .value()
        .front()
        .value;
  });
  testing::expect_accepts(testing::fits_law(drawn, law(values, 0.25, 1, 9)));
}

TEST(Quantile, MovesCountsOutsideTheBoundsToThem) {
  const std::vector<GridCount> counts{{-7, 500}, {std::numeric_limits<std::int64_t>::max(), 500}};
  const auto ends = Quantile::create({number("1/4"), number("3/4")}, between(0, 9), 10).value();
  const auto found = ends.release_counts(counts, permit_for(ends.cost()), system_stream()).value();
  EXPECT_EQ(found[0].value, 0);
  EXPECT_EQ(found[1].value, 9);
}

TEST(Quantile, FindsQuantilesOfManyValues) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < 1'000'000; ++i) {
    values.push_back(static_cast<double>(i * 7919 % 1'000'003) / 1000);
  }
  const Grid cents = Grid::create(-10).value();
  const auto clamp = Clamp::create(-100'000, 100'000, cents).value();
  const auto quartiles =
      Quantile::create({number("1/4"), number("1/2"), number("3/4")}, clamp, 1).value();
  const std::vector<double> found = run(quartiles, values);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_NEAR(found[0], 250, 1);
  EXPECT_NEAR(found[1], 500, 1);
  EXPECT_NEAR(found[2], 750, 1);
}

TEST(Quantile, MinimumAndMaximumAreLowAndHighQuantiles) {
  std::vector<double> values;
  for (int i = 0; i < 20'000; ++i) values.push_back(i);
  const Clamp clamp = between(-1'000'000, 1'000'000);
  EXPECT_NEAR(run(Quantile::minimum(clamp, 2).value(), values).front(), 100, 60);
  EXPECT_NEAR(run(Quantile::maximum(clamp, 2).value(), values).front(), 19'900, 60);
}

TEST(Quantile, TakesAnyValue) {
  const std::vector<double> values{std::numeric_limits<double>::quiet_NaN(),
                                   std::numeric_limits<double>::infinity(),
                                   -std::numeric_limits<double>::infinity(), 1e308};
  const double median = run(mechanism("1/2", between(-3, 5), "1"), values).front();
  EXPECT_GE(median, -3);
  EXPECT_LE(median, 5);
}

TEST(Quantile, OfNothingIsAnyPoint) {
  const auto counts = draw(mechanism("1/2", between(0, 3), "1"), {}, 3);
  testing::expect_accepts(testing::fits_law(counts, std::vector(4, 0.25)));
}

TEST(Quantile, SpansTheWidestBounds) {
  const Clamp widest = between(-Clamp::kLargestSteps, Clamp::kLargestSteps);
  const auto median = mechanism("1/2", widest, "1");
  for (int i = 0; i < 100; ++i) {
    EXPECT_LE(std::abs(run(median, Values{}).front()), std::ldexp(1, 62));
    EXPECT_LE(std::abs(run(median, Values{-Clamp::kLargestSteps, Clamp::kLargestSteps}).front()),
              std::ldexp(1, 62));
  }
}

TEST(Quantile, SaysItsCostBeforehand) {
  const Cost alone = Cost::leaf(cost::Exponential{number("0.6")}).value();
  EXPECT_EQ(mechanism("1/2", between(0, 9), "0.6").cost(), alone);
  // Three draws, each with a third of epsilon, make a quantile with its interval.
  const Cost draw = Cost::leaf(cost::Exponential{number("0.2")}).value();
  const auto median = Quantile::create({number("1/2")}, between(0, 9), number("0.6"));
  EXPECT_EQ(median.value().cost(), Cost::repeat(3, draw).value());
  const auto three = Quantile::create({number("0.25"), number("0.5"), number("0.75")},
                                      between(0, 9), number("0.6"));
  EXPECT_EQ(three.value().cost(), Cost::repeat(9, draw).value());
}

TEST(Quantile, RefusesWhatHasNoMeaning) {
  const Clamp clamp = between(0, 9);
  EXPECT_NE(refusal(Quantile::create({}, clamp, 1)), "");
  EXPECT_NE(refusal(Quantile::create({0}, clamp, 1)), "");
  EXPECT_NE(refusal(Quantile::create({1}, clamp, 1)), "");
  EXPECT_NE(refusal(Quantile::create({number("0.12345678")}, clamp, 1)), "");
  EXPECT_NE(refusal(Quantile::create({number("0.5")}, clamp, 0)), "");
  EXPECT_NE(refusal(Quantile::create({number("0.5")}, clamp, -1)), "");
  EXPECT_NE(refusal(Quantile::create({number("0.5")}, clamp, 1, {{.rows = 0}, {}})), "");
  for (const double confidence : {0.0, 1.0, -0.5, std::nan("")}) {
    EXPECT_NE(refusal(Quantile::create({number("0.5")}, clamp, 1, {{}, confidence})), "");
  }
}

}  // namespace
}  // namespace tacit

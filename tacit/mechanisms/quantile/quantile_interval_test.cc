#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tacit/mechanisms/quantile/quantile.h"
#include "tacit/mechanisms/selection/testing/run_mechanism.h"
#include "tacit/mechanisms/testing/binomial_bounds.h"
#include "tacit/mechanisms/testing/privacy_audit.h"
#include "tacit/mechanisms/testing/verdict.h"

namespace tacit {
namespace {

using testing::number;
using testing::permit_for;
using testing::system_stream;

using Values = std::vector<std::int64_t>;

struct Case {
  std::string name;
  Values values;
  std::int64_t lower = 0;
  std::int64_t upper = 1000;
  std::string share = "1/2";
  std::string epsilon = "3";
};

// The least and the greatest quantile of the values, by definition.
std::pair<double, double> true_quantiles(const Case& c) {
  Values sorted = c.values;
  std::ranges::sort(sorted);
  const auto n = static_cast<double>(sorted.size());
  const Rational rank = number(c.share) * Rational(static_cast<std::int64_t>(sorted.size()));
  const auto least = std::max(rank.ceil().get_si(), 1L);
  const auto greatest = rank.floor().get_si() + 1;
  const auto value = [&](long i) {
    return static_cast<double>(sorted[static_cast<std::size_t>(i - 1)]);
  };
  return {n == 0 ? static_cast<double>(c.lower) : value(least),
          static_cast<double>(greatest) > n ? static_cast<double>(c.upper) : value(greatest)};
}

// Rejects where the interval covers all quantiles less often than claimed.
testing::Verdict coverage(const Case& c, double claimed, double used, std::uint64_t trials) {
  const Clamp clamp = Clamp::create(c.lower, c.upper, Grid()).value();
  const auto mechanism =
      Quantile::create({number(c.share)}, clamp, number(c.epsilon), {{}, used}).value();
  const auto [least, greatest] = true_quantiles(c);
  std::uint64_t covered = 0;
  for (std::uint64_t i = 0; i < trials; ++i) {
    const auto answer =
        mechanism.release(c.values, permit_for(mechanism.cost()), system_stream()).value().front();
    EXPECT_EQ(answer.interval.kind, IntervalKind::kApproximate);
    EXPECT_EQ(answer.interval.confidence, used);
    const double half_width = answer.interval.half_width;
    covered += answer.value - half_width <= least && answer.value + half_width >= greatest ? 1 : 0;
  }
  if (testing::upper_bound(covered, trials, testing::kFalseAlarm) >= claimed) {
    return testing::Verdict::accept();
  }
  return testing::Verdict::reject(c.name + ": covered " + std::to_string(covered) + " of " +
                                  std::to_string(trials));
}

Values uniform(std::int64_t count) {
  Values values;
  for (std::int64_t i = 0; i < count; ++i) values.push_back(i * 7919 % 1001);
  return values;
}

// Quantiles of exp(Z) for the quantiles of a logistic Z, which is near a normal one.
Values lognormal(std::int64_t count) {
  Values values;
  for (std::int64_t i = 0; i < count; ++i) {
    const double p = (static_cast<double>(i) + 0.5) / static_cast<double>(count);
    values.push_back(std::min<std::int64_t>(std::llround(20 * std::pow(p / (1 - p), 0.6)), 1000));
  }
  return values;
}

Values tied(std::int64_t count) {
  Values values(static_cast<std::size_t>(count), 7);
  for (std::size_t i = 0; i < values.size(); i += 3) values[i] = 8;
  for (std::size_t i = 0; i < values.size(); i += 10) values[i] = 900;
  return values;
}

// Half of the values on each bound: every point is a median, and the bound of theorem 4 is tight.
Values split(std::int64_t count) {
  Values values(static_cast<std::size_t>(count), 0);
  for (std::size_t i = 0; i < values.size(); i += 2) values[i] = 1000;
  return values;
}

TEST(QuantileInterval, CoversTheQuantilesOfEveryShape) {
  const std::vector<Case> cases{
      {.name = "uniform", .values = uniform(400)},
      {.name = "uniform, low share", .values = uniform(400), .share = "1/10"},
      {.name = "lognormal", .values = lognormal(400)},
      {.name = "lognormal, high share", .values = lognormal(400), .share = "9/10"},
      {.name = "lognormal, near-maximum", .values = lognormal(400), .share = "199/200"},
      {.name = "ties", .values = tied(300)},
      {.name = "ties on a tie's edge", .values = tied(300), .share = "2/3"},
      {.name = "all equal", .values = Values(200, 500)},
      {.name = "few", .values = {3, 4, 900}},
      {.name = "one", .values = {999}},
      {.name = "none", .values = {}},
      {.name = "split", .values = split(40)},
      {.name = "little budget", .values = uniform(100), .epsilon = "0.1"},
      {.name = "two points", .values = {0, 1, 1}, .upper = 1},
  };
  for (const Case& c : cases) testing::expect_accepts(coverage(c, 0.95, 0.95, 1000));
}

TEST(QuantileInterval, CoverageIsMeasuredWithPower) {
  // So small an epsilon that rounding the padding to whole values hardly widens the interval.
  const Case tight{.name = "split", .values = split(40), .epsilon = "0.3"};
  testing::expect_accepts(coverage(tight, 0.95, 0.95, 12'000));
  testing::expect_accepts(coverage(tight, 0.8, 0.8, 12'000));
  testing::expect_rejects_wrong(coverage(tight, 0.95, 0.8, 12'000), "an interval of 80% for 95%");
  testing::expect_rejects_wrong(coverage(tight, 0.8, 0.2, 12'000), "an interval of 20% for 80%");
}

TEST(QuantileInterval, IsNarrowWhereThereAreManyValues) {
  Values values;
  for (std::int64_t i = 0; i < 100'000; ++i) values.push_back(i);
  const Clamp clamp = Clamp::create(-1'000'000, 1'000'000, Grid()).value();
  const auto median = Quantile::create({number("1/2")}, clamp, 3).value();
  const auto answer =
      median.release(values, permit_for(median.cost()), system_stream()).value().front();
  EXPECT_NEAR(answer.value, 50'000, 100);
  // About ln(2 · 2·10^6 / 0.05) = 18 values to each side, and as many again for the draws.
  EXPECT_LT(answer.interval.half_width, 100);
}

TEST(QuantileInterval, ComesOnlyWhereItIsPaidFor) {
  const Clamp clamp = Clamp::create(0, 9, Grid()).value();
  const auto bare = Quantile::create({number("1/2")}, clamp, 1, {{}, std::nullopt}).value();
  const auto answer =
      bare.release(Values{1, 2}, permit_for(bare.cost()), system_stream()).value().front();
  EXPECT_EQ(answer.interval.kind, IntervalKind::kNone);
}

// The half-width is a function of the three draws, so value and half-width together must keep the
// promise of all of them.
TEST(QuantileInterval, KeepsItsPromiseWhenAValueIsAdded) {
  constexpr std::int64_t kUpper = 99;
  const auto draw = [](const Quantile& median, const Values& values) {
    return testing::count_cells(50'000, 2 * (kUpper + 1), [&] {
      const auto answer =
          median.release(values, permit_for(median.cost()), system_stream()).value().front();
      return answer.value + (answer.interval.half_width > 50 ? kUpper + 1 : 0);
    });
  };
  const auto audit = [&](std::string_view epsilon) {
    // So low a confidence that the data, not the padding, decide the ends.
    const auto median = Quantile::create({number("1/2")}, Clamp::create(0, kUpper, Grid()).value(),
                                         number(epsilon), {{}, 0.01})
                            .value();
    Values balanced(60, 0);
    std::fill(balanced.begin() + 30, balanced.end(), kUpper);
    Values tipped = balanced;
    tipped.push_back(kUpper);
    return testing::audit_privacy({.epsilon = 3}, {draw(median, balanced), draw(median, tipped)});
  };
  testing::expect_accepts(audit("3"));
  testing::expect_rejects_wrong(audit("30"), "epsilon 30 for 3");
}

}  // namespace
}  // namespace tacit

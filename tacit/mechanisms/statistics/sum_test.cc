#include "tacit/mechanisms/statistics/sum.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tacit/mechanisms/testing/binomial_bounds.h"
#include "tacit/mechanisms/testing/privacy_audit.h"
#include "tacit/privacy/testing/permit_for_tests.h"

namespace tacit {
namespace {

Rational number(const char* text) { return *Rational::parse(text); }

ColumnParameters column(const char* lower, const char* upper) {
  return {.lower = number(lower), .upper = number(upper), .target = PureTarget{1}};
}

TEST(Sum, WholeNumbersAreNotRounded) {
  ColumnParameters parameters = column("-3", "10");
  parameters.whole_numbers = true;
  const Sum sum = *Sum::create(parameters);
  EXPECT_EQ(sum.clamp().grid(), Grid());
  EXPECT_EQ(sum.cost(), *Cost::leaf(cost::DiscreteLaplace{10, 10}));
}

TEST(Sum, CostDependsOnTheNeighbours) {
  ColumnParameters parameters = column("5", "10");
  parameters.whole_numbers = true;
  parameters.contribution = {Neighbours::kReplace, 1, true};
  EXPECT_EQ(Sum::create(parameters)->cost(),
            *Cost::leaf(cost::DiscreteLaplace{5, 5}, Neighbours::kReplace));
  parameters.contribution = {Neighbours::kReplace, 2, true};
  EXPECT_EQ(Sum::create(parameters)->cost(),
            *Cost::leaf(cost::DiscreteLaplace{10, 10}, Neighbours::kReplace));
  parameters.contribution = {Neighbours::kReplace, 1, false};
  EXPECT_EQ(Sum::create(parameters)->cost(),
            *Cost::leaf(cost::DiscreteLaplace{10, 10}, Neighbours::kReplace));
}

TEST(Sum, RealsUseAFineGrid) {
  const Sum sum = *Sum::create(column("0", "100"));
  const auto& leaf = std::get<cost::DiscreteLaplace>(sum.cost().node());
  EXPECT_EQ(Rational(static_cast<std::int64_t>(leaf.sensitivity)) / leaf.scale, Rational(1));
  EXPECT_GT(leaf.sensitivity, std::uint64_t{1} << 29);
  EXPECT_LE(leaf.sensitivity, std::uint64_t{1} << 30);
  EXPECT_NEAR(*sum.half_width(0.95), 100 * std::log(20.0), 1e-4);
}

TEST(Sum, RefusesWhatHasNoMeaning) {
  EXPECT_FALSE(Sum::create(column("1", "1")));
  EXPECT_FALSE(Sum::create(column("2", "1")));
  ColumnParameters parameters = column("0", "1");
  parameters.target = PureTarget{number("1e-14")};
  EXPECT_FALSE(Sum::create(parameters));
  EXPECT_FALSE(Sum::create(column("-1e300", "1e300")));
  EXPECT_FALSE(Sum::create(column("0", "1e-300")));
}

TEST(Sum, TakesNarrowBoundsFarFromZero) {
  ColumnParameters parameters = column("1000000000000", "1000000000001");
  parameters.contribution = {Neighbours::kReplace, 1, true};
  const Sum sum = *Sum::create(parameters);
  EXPECT_NEAR(*sum.half_width(0.95), std::log(20.0), 1e-3);
}

TEST(Sum, ReleasesNearTheExactSumWhateverTheRowsHold) {
  SecureStream stream = *SecureStream::create();
  const std::vector<double> values{1.5,          -2.25,
                                   1e300,        -std::numeric_limits<double>::infinity(),
                                   std::nan(""), std::numeric_limits<double>::denorm_min()};
  for (const NoiseTarget& target : {NoiseTarget{PureTarget{100}}, NoiseTarget{ZcdpTarget{1000}},
                                    NoiseTarget{ApproximateTarget{8, number("1e-6")}}}) {
    ColumnParameters parameters = column("-10", "20");
    parameters.target = target;
    const Sum sum = *Sum::create(parameters);
    const auto released = *sum.release(values, PermitForTests::mint(sum.cost()), stream);
    EXPECT_NEAR(released.value, 1.5 - 2.25 + 20 - 10, 100);
  }
  ColumnParameters whole = column("-10", "20");
  whole.whole_numbers = true;
  whole.target = PureTarget{1000};
  const Sum sum = *Sum::create(whole);
  const std::vector<std::int64_t> integers{5, std::numeric_limits<std::int64_t>::min(), 7};
  EXPECT_EQ(sum.release(integers, PermitForTests::mint(sum.cost()), stream)->value, 2);
}

TEST(Sum, TotalsBeyondAWordAreReleased) {
  SecureStream stream = *SecureStream::create();
  const Sum sum = *Sum::create(column("0", "1"));
  const int128 total = (int128{1} << 90) + 12345;
  const auto released = *sum.release_total(total, PermitForTests::mint(sum.cost()), stream);
  EXPECT_NEAR(released.value, std::ldexp(1.0, 90 + sum.clamp().grid().exponent()), 1e4);
}

TEST(Sum, IntervalCoversAsOftenAsItSays) {
  SecureStream stream = *SecureStream::create();
  const Sum sum = *Sum::create(column("0", "3"));
  constexpr std::uint64_t kTrials = 100'000;
  const double half_width = *sum.half_width(0.95);
  std::uint64_t covered = 0;
  std::uint64_t covered_by_less = 0;
  for (std::uint64_t i = 0; i < kTrials; ++i) {
    const double noise =
        std::abs(sum.release_total(0, PermitForTests::mint(sum.cost()), stream)->value);
    covered += noise <= half_width ? 1U : 0U;
    covered_by_less += noise <= 0.9 * half_width ? 1U : 0U;
  }
  EXPECT_GE(testing::upper_bound(covered, kTrials, testing::kFalseAlarm), 0.95);
  EXPECT_LE(testing::lower_bound(covered, kTrials, testing::kFalseAlarm), 0.951);
  EXPECT_LT(testing::upper_bound(covered_by_less, kTrials, testing::kFalseAlarm), 0.95);
}

TEST(Sum, NeighboursCannotBeToldApart) {
  SecureStream stream = *SecureStream::create();
  constexpr std::uint64_t kTrials = 200'000;
  const Sum sum = *Sum::create(column("0", "3"));
  const std::vector<double> rows{0.1, 2.7, std::nan(""), 1e9};
  const auto counts = [&](std::vector<double> more) {
    more.insert(more.end(), rows.begin(), rows.end());
    const int128 total = sum.clamp().sum(more);
    // Half units from -5 to 20.
    return testing::count_cells(kTrials, 52, [&] {
      const double value =
          sum.release_total(total, PermitForTests::mint(sum.cost()), stream)->value;
      return static_cast<std::size_t>(std::clamp((value + 5) * 2 + 1, 0.0, 51.0));
    });
  };
  const auto verdict = [&](const std::vector<double>& added) {
    return testing::audit_privacy({1.0, 0}, {counts({}), counts(added)});
  };
  for (const double row : {3.0, 1e300, std::nan(""), -1.0}) testing::expect_accepts(verdict({row}));
  testing::expect_rejects_wrong(verdict({3.0, 1.0}), "a third more than one row can move");
}

}  // namespace
}  // namespace tacit

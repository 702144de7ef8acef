#include "tacit/mechanisms/statistics/mean.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tacit/mechanisms/testing/binomial_bounds.h"
#include "tacit/mechanisms/testing/verdict.h"
#include "tacit/privacy/testing/permit_for_tests.h"

namespace tacit {
namespace {

Rational number(const char* text) { return *Rational::parse(text); }

ColumnParameters column(const char* lower, const char* upper, NoiseTarget target = PureTarget{1}) {
  return {.lower = number(lower), .upper = number(upper), .target = std::move(target)};
}

std::vector<NoiseTarget> targets() {
  return {PureTarget{1}, ZcdpTarget{number("0.5")}, ApproximateTarget{1, number("1e-6")}};
}

TEST(Mean, ChargesForSumAndCount) {
  ColumnParameters parameters = column("0", "10");
  parameters.whole_numbers = true;
  // Offsets from 5 move by at most 5; each part has half of epsilon 1.
  EXPECT_EQ(Mean::create(parameters)->cost(),
            *Cost::compose({*Cost::leaf(cost::DiscreteLaplace{10, 5}),
                            *Cost::leaf(cost::DiscreteLaplace{2, 1})}));
}

TEST(Mean, APublicCountCostsNothing) {
  ColumnParameters parameters = column("0", "10");
  parameters.whole_numbers = true;
  parameters.contribution = {Neighbours::kReplace, 1, true};
  const Mean mean = *Mean::create(parameters);
  EXPECT_EQ(mean.cost(), *Cost::leaf(cost::DiscreteLaplace{10, 10}, Neighbours::kReplace));
  SecureStream stream = *SecureStream::create();
  const std::vector<double> values(1000, 4);
  const auto released = *mean.release(values, PermitForTests::mint(mean.cost()), stream);
  EXPECT_EQ(released.count.value, 1000);
  EXPECT_EQ(released.mean.interval.kind, IntervalKind::kExact);
  EXPECT_NEAR(released.mean.interval.half_width, 10 * std::log(20.0) / 1000, 2e-3);
  EXPECT_NEAR(released.mean.value, 4, 0.5);
}

TEST(Mean, APermitForHalfOfItReleasesNothing) {
  SecureStream stream = *SecureStream::create();
  const Mean mean = *Mean::create(column("0", "10"));
  const auto& parts = std::get<cost::Compose>(mean.cost().node()).parts;
  const std::vector<double> values(10, 1);
  EXPECT_FALSE(mean.release(values, PermitForTests::mint(parts[0]), stream));
  EXPECT_FALSE(mean.release(values, PermitForTests::mint(parts[1]), stream));
  const Cost more = *Cost::compose({parts[0], parts[1], parts[1]});
  EXPECT_FALSE(mean.release(values, PermitForTests::mint(more), stream));
  EXPECT_TRUE(mean.release(values, PermitForTests::mint(mean.cost()), stream));
}

TEST(Mean, RefusesWhatHasNoMeaning) {
  EXPECT_FALSE(Mean::create(column("1", "1")));
  EXPECT_FALSE(Mean::create(column("2", "1")));
  EXPECT_FALSE(Mean::create(column("0", "1", PureTarget{0})));
}

TEST(Mean, TakesNarrowBoundsFarFromZero) {
  SecureStream stream = *SecureStream::create();
  const Mean mean = *Mean::create(column("1e12", "1000000000010"));
  const std::vector<double> values(100'000, 1e12 + 4);
  const auto released = *mean.release(values, PermitForTests::mint(mean.cost()), stream);
  EXPECT_NEAR(released.mean.value, 1e12 + 4, 0.1);
}

TEST(Mean, NoRowsGiveAnAnswerWithinTheBoundsAndNoFalseComfort) {
  SecureStream stream = *SecureStream::create();
  for (const NoiseTarget& target : targets()) {
    const Mean mean = *Mean::create(column("-3", "7", target));
    for (int i = 0; i < 200; ++i) {
      const auto released =
          *mean.release(std::vector<double>{}, PermitForTests::mint(mean.cost()), stream);
      EXPECT_GE(released.mean.value, -3);
      EXPECT_LE(released.mean.value, 7);
      EXPECT_LE(released.mean.interval.half_width, 10);
    }
  }
}

TEST(Mean, IntervalCoversTheTruth) {
  SecureStream stream = *SecureStream::create();
  constexpr std::uint64_t kTrials = 20'000;
  for (const NoiseTarget& target : targets()) {
    const Mean mean = *Mean::create(column("0", "100", target));
    for (const std::size_t rows :
         {std::size_t{1}, std::size_t{8}, std::size_t{40}, std::size_t{5000}}) {
      const std::vector<double> values(rows, 93.0);
      const int128 total = mean.clamp().sum(values);
      std::uint64_t covered = 0;
      std::uint64_t covered_by_a_third = 0;
      for (std::uint64_t i = 0; i < kTrials; ++i) {
        const auto released =
            *mean.release_totals(total, rows, PermitForTests::mint(mean.cost()), stream);
        EXPECT_EQ(released.mean.interval.kind, IntervalKind::kApproximate);
        const double error = std::abs(released.mean.value - 93.0);
        covered += error <= released.mean.interval.half_width ? 1U : 0U;
        covered_by_a_third += error <= released.mean.interval.half_width / 3 ? 1U : 0U;
      }
      EXPECT_GE(testing::upper_bound(covered, kTrials, testing::kFalseAlarm), 0.95) << rows;
      if (rows == 5000) {
        EXPECT_LT(testing::upper_bound(covered_by_a_third, kTrials, testing::kFalseAlarm), 0.95)
            << "so wide an interval says nothing";
      }
    }
  }
}

}  // namespace
}  // namespace tacit

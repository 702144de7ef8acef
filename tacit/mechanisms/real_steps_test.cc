#include "tacit/mechanisms/real_steps.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

namespace tacit {
namespace {

Rational number(const char* text) { return *Rational::parse(text); }

TEST(ChooseGrid, HoldsSensitivityAndNoise) {
  EXPECT_EQ(choose_grid(1, 1)->exponent(), -30);
  EXPECT_EQ(choose_grid(1, Rational::power_of_two(9))->exponent(), -30);
  EXPECT_EQ(choose_grid(1, Rational::power_of_two(20))->exponent(), -19);
  EXPECT_EQ(choose_grid(1, Rational::power_of_two(39))->exponent(), 0);
  EXPECT_FALSE(choose_grid(1, Rational::power_of_two(40)));
  EXPECT_FALSE(choose_grid(0, 1));
}

TEST(RealSteps, ReadsEveryDouble) {
  const RealSteps steps = *RealSteps::for_l1({.coordinates = 5, .one_coordinate = false}, 1);
  const std::vector<double> values{0.5, -0.5, std::nan(""), std::numeric_limits<double>::infinity(),
                                   -1e300};
  const std::vector<std::int64_t> expected{1 << 29, -(1 << 29), 0, Clamp::kLargestSteps,
                                           -Clamp::kLargestSteps};
  EXPECT_EQ(steps.from_reals(values), expected);
}

TEST(RealSteps, ConvertsValuesAndHalfWidths) {
  const RealSteps steps = *RealSteps::for_l2({.norm = 2}, 1);
  const auto reals = steps.to_reals({{1 << 29, -(1 << 28)}, {1 << 29, 0.9, IntervalKind::kExact}});
  EXPECT_EQ(reals.value, (std::vector<double>{1, -0.5}));
  EXPECT_EQ(reals.interval, (Interval{1, 0.9, IntervalKind::kExact}));
}

RC_GTEST_PROP(RealSteps, NeighboursStayWithinTheChargedSensitivity, ()) {
  // Vectors whose L1 distance is at most 1, as exact doubles.
  const auto shift = [] { return *rc::gen::inRange(-333, 334) / 1000.0; };
  const RealSteps l1 = *RealSteps::for_l1({.coordinates = 3, .one_coordinate = false}, 1);
  const RealSteps l2 = *RealSteps::for_l2({.coordinates = 3, .one_coordinate = false}, 1);
  std::vector<double> one(3);
  std::vector<double> other(3);
  for (int i = 0; i < 3; ++i) {
    const auto at = static_cast<std::size_t>(i);
    one[at] = *rc::gen::inRange(-1'000'000, 1'000'000) / 7.0;
    other[at] = one[at] + shift() * (1 - 1e-9);
  }
  const auto a = l1.from_reals(one);
  const auto b = l1.from_reals(other);
  std::uint64_t distance = 0;
  double squared = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    distance += static_cast<std::uint64_t>(std::abs(a[i] - b[i]));
    squared += std::pow(static_cast<double>(a[i] - b[i]), 2);
  }
  RC_ASSERT(distance <= l1.sensitivity().l1);
  RC_ASSERT(squared <= static_cast<double>(l2.sensitivity().squared_l2));
}

TEST(RealSteps, RefusesWhatHasNoMeaning) {
  EXPECT_FALSE(RealSteps::for_l1({.norm = 0}, 1));
  EXPECT_FALSE(RealSteps::for_l2({.norm = number("-0.5")}, 1));
  EXPECT_FALSE(RealSteps::for_l2({.coordinates = 0}, 1));
  EXPECT_FALSE(RealSteps::for_l1({.coordinates = std::uint64_t{1} << 40}, 1));
}

}  // namespace
}  // namespace tacit

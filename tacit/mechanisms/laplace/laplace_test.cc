#include "tacit/mechanisms/laplace/laplace.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tacit/mechanisms/testing/goodness_of_fit.h"
#include "tacit/mechanisms/testing/privacy_audit.h"
#include "tacit/mechanisms/testing/release_many.h"

namespace tacit {
namespace {

using testing::count_values;
using testing::expect_accepts;
using testing::expect_rejects_wrong;
using testing::IntegerCells;
using testing::release_many;
using testing::repeated;

Rational number(const char* text) { return *Rational::parse(text); }

class DiscreteLaplaceMechanismTest : public ::testing::Test {
 protected:
  SecureStream stream_ = *SecureStream::create();
};

// P(X < x).
double below(double scale, std::int64_t x) {
  const double q = std::exp(-1 / scale);
  return x <= 0 ? std::pow(q, static_cast<double>(1 - x)) / (1 + q)
                : 1 - std::pow(q, static_cast<double>(x)) / (1 + q);
}

TEST_F(DiscreteLaplaceMechanismTest, SaysItsCostBeforeItRuns) {
  const auto one = *DiscreteLaplaceMechanism::create(number("0.1"), {.l1 = 3, .squared_l2 = 9});
  EXPECT_EQ(one.scale(), Rational(30));
  EXPECT_EQ(one.cost(), *Cost::leaf(cost::DiscreteLaplace{30, 3}));

  const Sensitivity many{.l1 = 3, .squared_l2 = 3, .coordinates = 5, .one_coordinate = false};
  EXPECT_EQ(DiscreteLaplaceMechanism::create(number("0.1"), many)->cost(),
            *Cost::leaf(cost::Pure{number("0.1")}));

  const Sensitivity replace{.neighbours = Neighbours::kReplace};
  EXPECT_EQ(DiscreteLaplaceMechanism::create(1, replace)->cost(),
            *Cost::leaf(cost::DiscreteLaplace{1, 1}, Neighbours::kReplace));
}

TEST_F(DiscreteLaplaceMechanismTest, RefusesWhatHasNoMeaning) {
  EXPECT_FALSE(DiscreteLaplaceMechanism::create(0, {}));
  EXPECT_FALSE(DiscreteLaplaceMechanism::create(-1, {}));
  EXPECT_FALSE(DiscreteLaplaceMechanism::create(1, {.l1 = 0, .squared_l2 = 0}));
  EXPECT_FALSE(DiscreteLaplaceMechanism::create(number("1e-20"), {}));
  const auto mechanism = *DiscreteLaplaceMechanism::create(1, {});
  for (const double confidence : {0.0, 1.0, -1.0, 2.0, std::nan("")}) {
    EXPECT_FALSE(mechanism.half_width(confidence)) << confidence;
  }
}

TEST_F(DiscreteLaplaceMechanismTest, APermitForAnotherCostReleasesNothing) {
  const auto mechanism = *DiscreteLaplaceMechanism::create(1, {});
  const auto other = *DiscreteLaplaceMechanism::create(2, {});
  EXPECT_FALSE(mechanism.release(std::int64_t{5}, PermitForTests::mint(other.cost()), stream_));
}

TEST_F(DiscreteLaplaceMechanismTest, AWrongLengthIsRefusedBeforeThePermitIsTouched) {
  const auto mechanism = *DiscreteLaplaceMechanism::create(1, {.coordinates = 2});
  Permit permit = PermitForTests::mint(mechanism.cost());
  EXPECT_FALSE(mechanism.release(std::int64_t{5}, std::move(permit), stream_));
  // NOLINTNEXTLINE(bugprone-use-after-move): a refused call leaves the permit as it was.
  EXPECT_FALSE(permit.spent());
  EXPECT_TRUE(mechanism.release(std::span<const std::int64_t>(std::vector<std::int64_t>{1, 2}),
                                std::move(permit), stream_));
}

TEST_F(DiscreteLaplaceMechanismTest, SaturatesInsteadOfWrapping) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  const auto mechanism = *DiscreteLaplaceMechanism::create(number("1e-9"), repeated(1, 1000));
  for (const std::int64_t value : release_many(mechanism, kMost, stream_, 1000)) {
    EXPECT_GT(value, kMost / 2);
  }
}

TEST_F(DiscreteLaplaceMechanismTest, HalfWidthIsTheSmallestThatCovers) {
  for (const char* epsilon : {"1e9", "100", "5", "1", "0.3", "0.01", "1e-6", "1e-12"}) {
    const auto mechanism = *DiscreteLaplaceMechanism::create(number(epsilon), {});
    const long double scale = 1 / static_cast<long double>(number(epsilon).approximate());
    const auto tail = [&](std::int64_t w) {
      return 2 * std::exp(-(static_cast<long double>(w) + 1) / scale) / (1 + std::exp(-1 / scale));
    };
    for (const double confidence : {0.01, 0.5, 0.9, 0.95, 0.99, 0.999999}) {
      const std::int64_t w = *mechanism.half_width(confidence);
      const long double alpha = 1 - static_cast<long double>(confidence);
      EXPECT_LE(tail(w), alpha) << epsilon << " " << confidence;
      if (w > 0) {
        EXPECT_GT(tail(w - 1), alpha * (1 - 1e-11L)) << epsilon << " " << confidence;
      }
    }
  }
}

TEST_F(DiscreteLaplaceMechanismTest, CoversAsOftenAsItSays) {
  const auto mechanism = *DiscreteLaplaceMechanism::create(1, repeated(2));
  const std::int64_t w = *mechanism.half_width(0.95);
  const auto covered = [&](std::int64_t width) {
    std::uint64_t inside = 0;
    for (const std::int64_t value : release_many(mechanism, 10, stream_)) {
      inside += std::abs(value - 10) <= width ? 1U : 0U;
    }
    return testing::upper_bound(inside, testing::kRepetitions, testing::kFalseAlarm) >= 0.95;
  };
  EXPECT_TRUE(covered(w));
  EXPECT_FALSE(covered(w - 1)) << "a narrower interval must be seen to fail";
}

TEST_F(DiscreteLaplaceMechanismTest, NoiseHasTheStatedLaw) {
  const IntegerCells cells(-30, 1, 62);
  const double scale = 5;
  const auto law = testing::cell_law(cells, [&](std::int64_t x) { return below(scale, x); });
  const auto verdict = [&](const char* epsilon) {
    const auto mechanism = *DiscreteLaplaceMechanism::create(number(epsilon), repeated(1));
    return testing::fits_law(count_values(cells, release_many(mechanism, 0, stream_)), law);
  };
  expect_accepts(verdict("1/5"));
  expect_rejects_wrong(verdict("10/45"), "scale 10% small");
  expect_rejects_wrong(verdict("10/55"), "scale 10% large");
}

TEST_F(DiscreteLaplaceMechanismTest, NeighboursCannotBeToldApartBeyondEpsilon) {
  const IntegerCells cells(-12, 1, 30);
  // Claims epsilon 1 for values that move by two.
  const auto verdict = [&](const Rational& epsilon, std::uint64_t sensitivity, std::int64_t moved) {
    const auto mechanism = *DiscreteLaplaceMechanism::create(epsilon, repeated(sensitivity));
    return testing::audit_privacy({1.0, 0},
                                  {count_values(cells, release_many(mechanism, 0, stream_)),
                                   count_values(cells, release_many(mechanism, moved, stream_))});
  };
  expect_accepts(verdict(1, 2, 2));
  expect_accepts(verdict(1, 2, 1));
  expect_rejects_wrong(verdict(number("10/9"), 2, 2), "scale 10% small");
  expect_rejects_wrong(verdict(1, 1, 2), "sensitivity one too small");
  expect_rejects_wrong(verdict(1, 2, 3), "neighbours one farther apart than claimed");
}

TEST_F(DiscreteLaplaceMechanismTest, ManyCoordinatesThatMoveArePaidFor) {
  // Two coordinates move by one each: L1 2. A cell for each pair of outcomes.
  const IntegerCells cells(-3, 1, 8);
  const auto pairs = [&](const DiscreteLaplaceMechanism& mechanism, std::int64_t value) {
    const auto noisy = release_many(mechanism, value, stream_);
    testing::CellCounts counts(cells.size() * cells.size(), 0);
    for (std::size_t i = 0; i + 1 < noisy.size(); i += 2) {
      ++counts[cells(noisy[i]) * cells.size() + cells(noisy[i + 1])];
    }
    return counts;
  };
  const auto verdict = [&](std::uint64_t l1) {
    const Sensitivity sensitivity{
        .l1 = l1, .squared_l2 = l1, .coordinates = testing::kRepetitions, .one_coordinate = false};
    const auto mechanism = *DiscreteLaplaceMechanism::create(1, sensitivity);
    return testing::audit_privacy({1.0, 0}, {pairs(mechanism, 0), pairs(mechanism, 1)});
  };
  expect_accepts(verdict(2));
  expect_rejects_wrong(verdict(1), "charged as if one coordinate moved");
}

TEST(LaplaceMechanism, ChargesForRoundingToTheGrid) {
  const auto mechanism = *LaplaceMechanism::create(number("0.5"), {.norm = number("1/3")});
  const auto& leaf = std::get<cost::DiscreteLaplace>(mechanism.cost().node());
  const Rational steps(static_cast<std::int64_t>(leaf.sensitivity));
  EXPECT_GT(steps * mechanism.grid().step(), number("1/3"));
  EXPECT_LE((steps - Rational(2)) * mechanism.grid().step(), number("1/3"));
  EXPECT_EQ(steps / leaf.scale, number("0.5"));
}

TEST(LaplaceMechanism, ReleasesMultiplesOfTheStepNearTheValue) {
  SecureStream stream = *SecureStream::create();
  const auto mechanism = *LaplaceMechanism::create(
      10, {.norm = number("0.25"), .coordinates = 3, .one_coordinate = false});
  const std::vector<double> values{1e6 + 1.0 / 3, -std::numeric_limits<double>::infinity(),
                                   std::nan("")};
  const auto released = *mechanism.release(values, PermitForTests::mint(mechanism.cost()), stream);
  EXPECT_EQ(released.interval.kind, IntervalKind::kExact);
  EXPECT_DOUBLE_EQ(released.interval.half_width, *mechanism.half_width(0.95));
  EXPECT_NEAR(released.interval.half_width, 0.025 * std::log(20.0), 1e-6);
  EXPECT_NEAR(released.value[0], values[0], 2);
  EXPECT_TRUE(std::isfinite(released.value[1]));
  EXPECT_NEAR(released.value[2], 0, 2);
  const double steps = std::ldexp(released.value[0], -mechanism.grid().exponent());
  EXPECT_EQ(steps, std::round(steps));
}

TEST(LaplaceMechanism, RefusesWhatHasNoMeaning) {
  EXPECT_FALSE(LaplaceMechanism::create(0, {}));
  EXPECT_FALSE(LaplaceMechanism::create(1, {.norm = 0}));
  EXPECT_FALSE(LaplaceMechanism::create(1, {.norm = -1}));
  EXPECT_FALSE(LaplaceMechanism::create(1, {.coordinates = 0}));
  EXPECT_FALSE(LaplaceMechanism::create(number("1e-13"), {}));
  EXPECT_FALSE(LaplaceMechanism::create(1, {.norm = number("1e-300")}));
}

}  // namespace
}  // namespace tacit

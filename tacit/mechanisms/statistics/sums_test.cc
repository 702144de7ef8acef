#include "tacit/mechanisms/statistics/sums.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tacit/mechanisms/testing/privacy_audit.h"
#include "tacit/privacy/testing/permit_for_tests.h"

namespace tacit {
namespace {

Rational number(const char* text) { return *Rational::parse(text); }

SumsParameters columns(std::vector<ColumnBounds> bounds, NoiseTarget target) {
  return {.bounds = std::move(bounds), .whole_numbers = true, .target = std::move(target)};
}

TEST(Sums, ChargesTheNormOfTheWholeVector) {
  const std::vector<ColumnBounds> bounds{{-3, 1}, {0, 4}};
  // Laplace noise is scaled to L1: 3 + 4; Gaussian noise to L2: 9 + 16.
  const Sums laplace = *Sums::create(columns(bounds, PureTarget{1}));
  EXPECT_EQ(laplace.cost(), *Cost::leaf(cost::Pure{1}));
  EXPECT_NEAR(*laplace.half_width(0.95), 7 * std::log(20.0), 1);
  const Sums gaussian = *Sums::create(columns(bounds, ZcdpTarget{number("1/2")}));
  EXPECT_EQ(gaussian.cost(), *Cost::leaf(cost::DiscreteGaussian{25, 25, 2}));
}

TEST(Sums, OneColumnCostsWhatASumCosts) {
  EXPECT_EQ(Sums::create(columns({{0, 5}}, PureTarget{1}))->cost(),
            *Cost::leaf(cost::DiscreteLaplace{5, 5}));
}

TEST(Sums, ManyColumnsShareOneGrid) {
  SumsParameters parameters =
      columns(std::vector<ColumnBounds>(1000, {-1, 1}), ApproximateTarget{1, number("1e-6")});
  parameters.whole_numbers = false;
  const Sums sums = *Sums::create(parameters);
  for (const Clamp& clamp : sums.clamps()) EXPECT_EQ(clamp.grid(), sums.clamps()[0].grid());
  // sqrt(1000) times the half-width of one sum of sensitivity 1.
  parameters.bounds.resize(1);
  EXPECT_NEAR(*sums.half_width(0.95),
              std::sqrt(1000.0) * *Sums::create(parameters)->half_width(0.95), 1e-2);
}

TEST(Sums, AddsEachColumnThroughItsOwnClamp) {
  SecureStream stream = *SecureStream::create();
  const Sums sums = *Sums::create(columns({{0, 10}, {-5, 5}}, PureTarget{1000}));
  const std::vector<double> rows{1, 2, 100, -100, std::nan(""), std::nan("")};
  const auto released = *sums.release(rows, PermitForTests::mint(sums.cost()), stream);
  EXPECT_EQ(released.value, (std::vector<double>{11, -3}));
  EXPECT_EQ(released.interval.kind, IntervalKind::kExact);
}

TEST(Sums, RefusesShapesAndBoundsWithoutMeaning) {
  SecureStream stream = *SecureStream::create();
  const Sums sums = *Sums::create(columns({{0, 10}, {-5, 5}}, PureTarget{1}));
  EXPECT_FALSE(
      sums.release(std::vector<double>{1, 2, 3}, PermitForTests::mint(sums.cost()), stream));
  const std::vector<int128> totals{1};
  EXPECT_FALSE(sums.release_totals(totals, PermitForTests::mint(sums.cost()), stream));
  EXPECT_FALSE(Sums::create(columns({}, PureTarget{1})));
  EXPECT_FALSE(Sums::create(columns({{1, 0}}, PureTarget{1})));
  EXPECT_FALSE(Sums::create(columns({{0, 1}, {2, 2}}, PureTarget{1})));
}

TEST(Sums, NeighboursThatMoveEveryColumnCannotBeToldApart) {
  SecureStream stream = *SecureStream::create();
  constexpr std::uint64_t kTrials = 300'000;
  const auto counts = [&](const Sums& sums, std::int64_t moved) {
    const std::vector<int128> totals{moved, moved};
    const testing::IntegerCells cells(-3, 1, 8);
    return testing::count_cells(kTrials, 64, [&] {
      const auto pair =
          sums.release_totals(totals, PermitForTests::mint(sums.cost()), stream)->value;
      return cells(std::lround(pair[0])) * 8 + cells(std::lround(pair[1]));
    });
  };
  const Sums right = *Sums::create(columns({{0, 1}, {0, 1}}, PureTarget{2}));
  testing::expect_accepts(testing::audit_privacy({2.0, 0}, {counts(right, 0), counts(right, 1)}));
  const Sums wrong = *Sums::create(columns({{0, 1}, {0, 1}}, PureTarget{4}));
  testing::expect_rejects_wrong(
      testing::audit_privacy({2.0, 0}, {counts(wrong, 0), counts(wrong, 1)}),
      "noise for one column on two");
}

}  // namespace
}  // namespace tacit

#include <gtest/gtest.h>

#include <cstdint>

#include "tacit/privacy/renyi_curve_internal.h"

namespace tacit::renyi {
namespace {

TEST(RenyiCurve, EqualLeavesAreMerged) {
  Curve total;
  EXPECT_TRUE(total.is_nothing());
  EXPECT_EQ(total.at(2), 0);
  for (int i = 0; i < 100; ++i)
    total.add(Curve(SubsampledGaussianLeaf{0.01, i % 2 + 1.0}, Rational::ratio(1, 1000).value()));
  EXPECT_EQ(total.leaves().size(), 2U);
  EXPECT_EQ(total.delta(), Rational::ratio(1, 10).value());
  const double once =
      Curve(SubsampledGaussianLeaf{0.01, 1}).at(5) + Curve(SubsampledGaussianLeaf{0.01, 2}).at(5);
  EXPECT_NEAR(total.at(5), 50 * once, 1e-12);
}

TEST(RenyiCurve, RepeatingMultipliesAndDeltasStopAtOne) {
  Curve curve(GaussianLeaf{0.5}, Rational::ratio(1, 1000).value());
  curve.repeat(10);
  EXPECT_NEAR(curve.at(2), 10, 1e-12);
  EXPECT_GE(curve.at(2), 10);
  EXPECT_EQ(curve.delta(), Rational::ratio(1, 100).value());
  curve.repeat(UINT64_MAX);
  EXPECT_EQ(curve.delta(), 1);
  EXPECT_GE(curve.at(2), 1.8e20);
}

TEST(RenyiCurve, PureEpsilonOnlyWhereEveryLeafHasOne) {
  Curve curve(PureLeaf{1});
  curve.add(Curve(LaplaceLeaf{2}));
  curve.repeat(2);
  EXPECT_NEAR(curve.pure_epsilon(), 3, 1e-12);
  curve.add(Curve(GaussianLeaf{1}));
  EXPECT_GT(curve.pure_epsilon(), 1e300);
}

}  // namespace
}  // namespace tacit::renyi

#include <gtest/gtest.h>

#include "tacit/privacy/renyi_curve_internal.h"
#include "tacit/privacy/renyi_sampling.h"
#include "tacit/privacy/renyi_subsampled_gaussian.h"

namespace tacit::renyi {
namespace {

TEST(RenyiSampledCurve, GaussiansBecomeOne) {
  Curve part(GaussianLeaf{0.125});
  part.add(Curve(GaussianLeaf{0.375}));
  EXPECT_NEAR(poisson_sampled(part, 0.1).at(3.5), of_subsampled_gaussian(0.1, 1, 3.5), 1e-13);
}

TEST(RenyiSampledCurve, OnePureLeafIsExactAndTwoAreACurve) {
  Curve part(PureLeaf{1}, Rational::ratio(1, 1'000'000).value());
  EXPECT_EQ(poisson_sampled(part, 0.1).at(2.5), of_subsampled_pure(0.1, 1, 2.5));
  EXPECT_NEAR(poisson_sampled(part, 0.1).delta().upper(), 1e-7, 1e-20);
  part.repeat(2);
  EXPECT_NEAR(poisson_sampled(part, 0.1).delta().upper(), 2e-6, 1e-18);
  EXPECT_GT(poisson_sampled(part, 0.1).at(2), of_subsampled_pure(0.1, 1, 2));
}

// A bare zCDP curve says less than the Gaussian it may come from, so its sample costs no less.
TEST(RenyiSampledCurve, BareCurvesCostNoLessThanTheirMechanism) {
  for (const double order : {2.0, 3.5, 16.0}) {
    EXPECT_GE(poisson_sampled(Curve(ZcdpLeaf{0.1}), 0.05).at(order),
              poisson_sampled(Curve(GaussianLeaf{0.1}), 0.05).at(order));
  }
}

TEST(RenyiSampledCurve, NothingStaysNothing) {
  EXPECT_TRUE(poisson_sampled(Curve(), 0.5).is_nothing());
  EXPECT_TRUE(fixed_size_sampled(Curve(), 0.5)->is_nothing());
}

TEST(RenyiSampledCurve, FixedSizeSamplesTakeTheLeastBound) {
  const double gaussian = fixed_size_sampled(Curve(GaussianLeaf{0.1}), 0.01)->at(4);
  const double bare = fixed_size_sampled(Curve(ZcdpLeaf{0.1}), 0.01)->at(4);
  EXPECT_LT(gaussian, bare);
  EXPECT_GT(gaussian, poisson_sampled(Curve(GaussianLeaf{0.1}), 0.01).at(4));
}

}  // namespace
}  // namespace tacit::renyi

#include "tacit/mechanisms/statistics/centred_sum.h"

#include <gtest/gtest.h>

namespace tacit {
namespace {

TEST(CentredSum, ChargesForOffsetsFromTheMiddle) {
  const NoiseShare share = *NoiseShare::create(PureTarget{1});
  const CentredSum even = *CentredSum::create(Grid(), {10, 20}, {}, share);
  EXPECT_EQ(even.centre, 15);
  EXPECT_EQ(even.noise.cost(), *Cost::leaf(cost::DiscreteLaplace{5, 5}));
  const CentredSum odd = *CentredSum::create(Grid(), {-4, -1}, {}, share);
  EXPECT_EQ(odd.centre, -3);
  EXPECT_EQ(odd.noise.cost(), *Cost::leaf(cost::DiscreteLaplace{2, 2}));
  const CentredSum replace =
      *CentredSum::create(Grid(), {10, 20}, {Neighbours::kReplace, 1, true}, share);
  EXPECT_EQ(replace.noise.cost(), *Cost::leaf(cost::DiscreteLaplace{10, 10}, Neighbours::kReplace));
}

TEST(CentredSum, RefusesARangeOfOneValue) {
  EXPECT_FALSE(CentredSum::create(Grid(), {3, 3}, {}, *NoiseShare::create(PureTarget{1})));
}

TEST(CentredSum, OfGroupsMovesAllOfAUnitsGroups) {
  const auto share = *NoiseShare::create(ZcdpTarget{1});
  const auto sums =
      *CentredSum::for_groups(Grid(), {0, 10}, GroupContribution{.groups = 3, .rows = 2}, share);
  EXPECT_EQ(sums.centre, 5);
  EXPECT_EQ(sums.noise.cost(), *Cost::leaf(cost::DiscreteGaussian{150, 300, 3}));
}

}  // namespace
}  // namespace tacit

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

}  // namespace
}  // namespace tacit

#include "tacit/mechanisms/noise.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tacit/privacy/testing/permit_for_tests.h"

namespace tacit {
namespace {

Rational number(const char* text) { return *Rational::parse(text); }

TEST(NoiseShare, DividesTheTargetEvenly) {
  const NoiseShare third = *NoiseShare::create(PureTarget{number("0.3")}, 3);
  EXPECT_TRUE(third.uses_l1());
  EXPECT_EQ(third.noise({})->cost(), *Cost::leaf(cost::DiscreteLaplace{10, 1}));
  const NoiseShare half = *NoiseShare::create(ZcdpTarget{1}, 2);
  EXPECT_FALSE(half.uses_l1());
  EXPECT_EQ(half.noise({})->cost(), *Cost::leaf(cost::DiscreteGaussian{1, 1, 1}));
}

TEST(NoiseShare, MayBeAnyPartOfTheTarget) {
  const NoiseShare most = *NoiseShare::part(PureTarget{1}, number("0.8"));
  EXPECT_EQ(most.noise({})->cost(), *Cost::leaf(cost::DiscreteLaplace{number("1.25"), 1}));
  const NoiseShare quarter = *NoiseShare::part(ZcdpTarget{2}, number("0.25"));
  EXPECT_EQ(quarter.noise({})->cost(), *Cost::leaf(cost::DiscreteGaussian{1, 1, 1}));
  EXPECT_FALSE(NoiseShare::part(PureTarget{1}, 0));
  EXPECT_FALSE(NoiseShare::part(PureTarget{1}, number("1.1")));
  EXPECT_FALSE(NoiseShare::part(PureTarget{1}, number("1e-30")));
}

TEST(NoiseShare, TheSharesOfAnApproximateTargetComposeToIt) {
  const ApproximateTarget target{1, number("1e-6")};
  const auto variance = [&](std::uint64_t parts) {
    const Sensitivity sensitivity{.l1 = 1 << 30, .squared_l2 = std::uint64_t{1} << 60};
    const AdditiveNoise noise = *NoiseShare::create(target, parts)->noise(sensitivity);
    return std::get<cost::DiscreteGaussian>(noise.cost().node()).variance;
  };
  EXPECT_EQ(variance(4), variance(1) * Rational(4));
}

TEST(NoiseShare, AnApproximateTargetNeedsAFineGrid) {
  const NoiseShare share = *NoiseShare::create(ApproximateTarget{1, number("1e-6")});
  EXPECT_FALSE(share.noise({})) << "integers are too coarse for the continuous formula";
  EXPECT_LT(share.grid(1, 1, true)->exponent(), -20);
  EXPECT_EQ(NoiseShare::create(ZcdpTarget{1})->grid(1, 1, true)->exponent(), 0);
}

TEST(NoiseShare, TheGridHoldsTheRows) {
  const NoiseShare share = *NoiseShare::create(PureTarget{1});
  EXPECT_EQ(share.grid(1, Rational::power_of_two(40), false)->exponent(), -21);
  EXPECT_FALSE(share.grid(0, 1, false));
}

TEST(NoiseShare, RefusesWhatHasNoMeaning) {
  EXPECT_FALSE(NoiseShare::create(PureTarget{0}));
  EXPECT_FALSE(NoiseShare::create(ZcdpTarget{number("-1")}));
  EXPECT_FALSE(NoiseShare::create(ApproximateTarget{1, 0}));
  EXPECT_FALSE(NoiseShare::create(ApproximateTarget{0, number("1e-6")}));
  EXPECT_FALSE(NoiseShare::create(PureTarget{1}, 0));
}

TEST(NoiseShare, BareNoiseCostsTheSameForEverySensitivity) {
  const Rational delta = *Rational::parse("1e-6");
  for (const NoiseTarget& target :
       {NoiseTarget(PureTarget{1}), NoiseTarget(ApproximateTarget{1, delta})}) {
    const auto share = NoiseShare::part(target, *Rational::ratio(1, 3));
    const auto small = share->bare_noise({.l1 = 1000, .squared_l2 = 1'000'000});
    const auto large = share->bare_noise(
        {.l1 = 4000, .squared_l2 = 4'000'000, .coordinates = 4, .one_coordinate = false});
    ASSERT_TRUE(small && large);
    EXPECT_EQ(small->cost(), large->cost());
    EXPECT_NEAR(static_cast<double>(*large->half_width(0.95)) /
                    static_cast<double>(*small->half_width(0.95)),
                share->uses_l1() ? 4 : 2, 0.01);
  }
}

TEST(AdditiveNoise, ReleasesTotalsOfBothLaws) {
  SecureStream stream = *SecureStream::create();
  const int128 total = int128{1} << 100;
  for (const NoiseTarget& target : {NoiseTarget{PureTarget{1}}, NoiseTarget{ZcdpTarget{1}}}) {
    const AdditiveNoise noise = *NoiseShare::create(target)->noise({});
    const int128 noisy = *noise.release(total, PermitForTests::mint(noise.cost()), stream);
    EXPECT_LT(noisy - total, 1000);
    EXPECT_GT(noisy - total, -1000);
    EXPECT_GT(*noise.half_width(0.99), *noise.half_width(0.5));
  }
}

}  // namespace
}  // namespace tacit

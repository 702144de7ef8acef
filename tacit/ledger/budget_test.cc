#include "tacit/ledger/budget.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <string>

#include "tacit/privacy/rdp.h"

namespace tacit {
namespace {

Rational rational(std::string_view text) { return Rational::parse(text).value(); }
double cap_of(const Budget& budget) {
  return budget.cap().divergences.front().to_rational().approximate();
}

TEST(Budget, PureKeepsEpsilon) {
  const Budget budget = Budget::pure(rational("0.1")).value();
  EXPECT_TRUE(budget.is_pure());
  EXPECT_EQ(budget.cap().divergences.front().to_string(), "0.1");
  EXPECT_TRUE(budget.cap().delta.is_zero());
  EXPECT_TRUE(budget.keeps_its_promise());
  EXPECT_EQ(budget.to_text(), "epsilon 0.1");
}

TEST(Budget, RefusesWhatPromisesNothing) {
  for (const char* epsilon : {"0", "-1", "1000001"}) {
    EXPECT_FALSE(Budget::pure(rational(epsilon))) << epsilon;
    EXPECT_FALSE(Budget::approximate(rational(epsilon), rational("1e-6"))) << epsilon;
  }
  for (const char* delta : {"0", "-1e-6", "1", "2"}) {
    EXPECT_FALSE(Budget::approximate(1, rational(delta))) << delta;
  }
  const Rational delta = rational("1e-6");
  EXPECT_FALSE(Budget::approximate(1, delta, delta)) << "nothing is left for the conversion";
  EXPECT_FALSE(Budget::approximate(1, delta, rational("-1e-7")));
  EXPECT_FALSE(Budget::approximate(rational("1e-9"), rational("1e-30"))) << "no order reaches it";
}

TEST(Budget, DeltasAreChargedToTheLastDigit) {
  const Budget budget = Budget::approximate(1, rational("1e-6"), rational("5e-7")).value();
  const Cost cost = Cost::leaf(cost::Approximate{rational("0.01"), rational("1e-7")}).value();
  Spend spent = budget.zero();
  for (int i = 0; i < 5; ++i) spent = spent.plus(budget.price(cost).value()).value();
  EXPECT_EQ(spent.delta.to_string(), "0.0000005");
}

TEST(Budget, GaussianNoiseCanUseAllThatRenyiAccountingGives) {
  const Budget budget = Budget::approximate(1, rational("1e-6"), Rational(0)).value();
  const double order = budget.orders().front();
  const double rho = cap_of(budget) / order;
  // At no other order does more zCDP fit: (epsilon, delta) caps rho at every order.
  for (double other = 1.5; other < 1000; other *= 1.01) {
    const double cap =
        1 + (std::log(1e-6) + std::log(other)) / (other - 1) - std::log1p(-1 / other);
    EXPECT_LE(cap / other, rho * (1 + 1e-4)) << other;
  }
}

TEST(Budget, HalfOfDeltaIsReservedUnlessTheStewardSaysOtherwise) {
  EXPECT_EQ(Budget::approximate(1, rational("1e-6"))->cap().delta.to_string(), "0.0000005");
  EXPECT_EQ(Budget::approximate(1, rational("1e-6"))->conversion_delta(), rational("5e-7"));
  EXPECT_TRUE(Budget::approximate(1, rational("1e-6"), Rational(0))->cap().delta.is_zero());
}

TEST(Budget, ACurveMustConvertSomewhere) {
  const Rational delta = rational("1e-6");
  EXPECT_FALSE(Budget::with_curve(1, delta, 0, {{8, rational("0.9")}}));
  EXPECT_TRUE(Budget::with_curve(1, delta, 0, {{8, rational("0.9")}, {64, rational("0.8")}}));
  EXPECT_FALSE(Budget::with_curve(1, delta, 0, {}));
  EXPECT_FALSE(Budget::with_curve(1, delta, 0, {{1, rational("0.1")}}));
  EXPECT_FALSE(Budget::with_curve(1, delta, 0, {{64, rational("0.8")}, {64, rational("0.8")}}));
  EXPECT_FALSE(Budget::with_curve(1, delta, 0, {{64, rational("0.8")}, {32, rational("0.1")}}));
  EXPECT_FALSE(Budget::with_curve(1, delta, 0, {{64, 0}}));
  EXPECT_FALSE(Budget::with_curve(1, delta, 0, {{64, -1}}));
  EXPECT_FALSE(Budget::with_curve(1, delta, 0, {{NAN, 1}}));
  EXPECT_FALSE(Budget::with_curve(1, delta, 0, {{INFINITY, rational("0.1")}}));
}

TEST(Budget, OrdersOfTheStewardsOwnGetTheLargestCapsThatConvert) {
  const Rational delta = rational("1e-6");
  const Budget budget = Budget::at_orders(3, delta, rational("1e-7"), {8, 64}).value();
  EXPECT_EQ(budget.orders(), (std::vector<double>{8, 64}));
  EXPECT_TRUE(budget.keeps_its_promise());
  for (std::size_t i = 0; i < 2; ++i) {
    const double cap = budget.cap().divergences[i].to_rational().approximate();
    const double converted =
        rdp_to_epsilon(cap, budget.orders()[i], budget.conversion_delta().lower());
    EXPECT_LE(converted, 3);
    EXPECT_GT(converted, 3 - 1e-9) << "none of the budget is wasted";
  }
  EXPECT_FALSE(Budget::at_orders(1, delta, std::nullopt, {})) << "no order";
  EXPECT_FALSE(Budget::at_orders(1, delta, std::nullopt, {64, 8}));
  EXPECT_FALSE(Budget::at_orders(1, delta, std::nullopt, {2})) << "nothing converts there";
  EXPECT_FALSE(Budget::at_orders(1, delta, delta, {64}));
}

TEST(Budget, PricesRoundUp) {
  const Cost third = Cost::leaf(cost::Pure{rational("1/3")}).value();
  EXPECT_EQ(Budget::pure(1)->price(third)->divergences.front().to_string(), "0.333333333334");
  const Budget curve = Budget::with_curve(8, rational("1e-6"), 0, {{4, 2}}).value();
  const Spend price = curve.price(Cost::leaf(cost::Gaussian{3}).value()).value();  // 4 / (2 * 9)
  EXPECT_GE(price.divergences.front().to_rational(), rational("2/9"));
  EXPECT_LE(price.divergences.front().to_rational(), rational("2/9") + rational("1e-11"));
}

TEST(Budget, RefusesToPriceWhatIsNotProvedInItsCurrency) {
  const Cost gaussian = Cost::leaf(cost::Gaussian{1}).value();
  EXPECT_EQ(Budget::pure(1)->price(gaussian).error().kind, ErrorKind::kBadInput);
  const Budget curve = Budget::with_curve(8, rational("1e-6"), 0, {{4, 2}}).value();
  const Cost no_proof = Cost::leaf(cost::NoneProved{"a table"}).value();
  EXPECT_EQ(curve.price(no_proof).error().kind, ErrorKind::kBadInput);
  const Cost elsewhere = Cost::leaf(cost::Renyi{{{2, 1}}}).value();
  EXPECT_EQ(curve.price(elsewhere).error().kind, ErrorKind::kBadInput);
}

TEST(Budget, RaisingKeepsTheCurrencyAndLowersNothing) {
  const Budget pure = Budget::pure(1).value();
  EXPECT_EQ(pure.raised_to(2, 0).value(), Budget::pure(2).value());
  EXPECT_FALSE(pure.raised_to(rational("0.5"), 0));
  EXPECT_FALSE(pure.raised_to(2, rational("1e-6")));

  const Rational delta = rational("1e-6");
  const Budget one = Budget::approximate(1, delta).value();
  const Budget two = one.raised_to(2, delta).value();
  EXPECT_EQ(two.orders(), one.orders());
  EXPECT_TRUE(one.cap().fits(two.cap()));
  EXPECT_NEAR(cap_of(two), cap_of(one) + 1, 1e-6) << "one more epsilon, at the same order";
  EXPECT_TRUE(two.keeps_its_promise());
  EXPECT_FALSE(two.raised_to(1, delta));

  const Budget curve =
      Budget::with_curve(1, delta, 0, {{8, rational("0.9")}, {64, rational("0.5")}}).value();
  const Budget higher = curve.raised_to(3, delta).value();
  EXPECT_TRUE(curve.cap().fits(higher.cap()));
  EXPECT_TRUE(higher.keeps_its_promise());
}

// The promise, recomputed from the curve alone, for any epsilon and delta a steward may name.
RC_GTEST_PROP(BudgetProperty, TheDefaultCurveKeepsItsPromise, ()) {
  const auto thousandths = *rc::gen::inRange<std::int64_t>(10, 50'000);
  const auto exponent = *rc::gen::inRange<int>(1, 25);
  const auto percent = *rc::gen::inRange<std::int64_t>(0, 100);
  const Rational epsilon = Rational::ratio(thousandths, 1000).value();
  const Rational delta = rational("1e-" + std::to_string(exponent));
  const Rational reserve = delta * Rational::ratio(percent, 100).value();
  const auto budget = Budget::approximate(epsilon, delta, reserve);
  RC_ASSERT(budget.has_value());
  RC_ASSERT(budget->conversion_delta() + budget->cap().delta.to_rational() == delta);
  const double proved =
      rdp_to_epsilon(budget->cap().divergences.front().to_rational().upper(),
                     budget->orders().front(), budget->conversion_delta().lower());
  RC_ASSERT(proved <= epsilon.lower());
  RC_ASSERT(proved >= epsilon.approximate() - 1e-6);
}

}  // namespace
}  // namespace tacit

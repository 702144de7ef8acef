#include "tacit/privacy/accountant.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tacit/privacy/testing/costs.h"

namespace tacit {
namespace {

using testing::HasSubstr;
using testing_costs::leaf;
using testing_costs::number;

TEST(Accountant, NamesReadBack) {
  for (const Accountant accountant : kAccountants) {
    EXPECT_EQ(accountant_named(name(accountant)).value(), accountant);
  }
  EXPECT_THAT(accountant_named("moments").error().remedy, HasSubstr("rdp"));
}

// Every accountant's bound holds, so none may lie below the tight value of another.
TEST(Accountant, NoneProvesLessThanTheTruth) {
  const std::vector<Cost> costs{
      leaf(cost::Gaussian{1}), Cost::repeat(10, leaf(cost::Gaussian{4})).value(),
      Cost::repeat(10, leaf(cost::Laplace{10})).value(),
      Cost::repeat(5, leaf(cost::RandomizedResponse{2, number("0.75")}, Neighbours::kReplace))
          .value(),
      Cost::compose({leaf(cost::Gaussian{3}), leaf(cost::Laplace{2})}).value()};
  for (const Cost& cost : costs) {
    const double truth = prove_epsilon(Accountant::kPld, cost, 1e-5).value().lower.value();
    int answered = 0;
    for (const Accountant accountant : kAccountants) {
      const auto proved = prove_epsilon(accountant, cost, 1e-5);
      if (!proved) continue;
      ++answered;
      EXPECT_GE(proved->upper, truth * (1 - 1e-9)) << name(accountant) << " " << cost.to_text();
    }
    EXPECT_GE(answered, 7) << cost.to_text();
  }
}

TEST(Accountant, DeltaAndEpsilonAgree) {
  const Cost cost = Cost::repeat(10, leaf(cost::Laplace{10})).value();
  for (const Accountant accountant : kAccountants) {
    const auto epsilon = prove_epsilon(accountant, cost, 1e-3);
    ASSERT_TRUE(epsilon) << name(accountant);
    const auto delta = prove_delta(accountant, cost, epsilon->upper);
    ASSERT_TRUE(delta) << name(accountant);
    EXPECT_LE(delta->upper, 1e-3 * (1 + 1e-6)) << name(accountant);
  }
}

TEST(Accountant, BelowItsEpsilonAPureGuaranteeIsRandomizedResponse) {
  const Cost cost = leaf(cost::Pure{2});
  EXPECT_EQ(prove_delta(Accountant::kPure, cost, 2).value().upper, 0);
  const double delta = (std::exp(2) - std::exp(1)) / (1 + std::exp(2));
  EXPECT_NEAR(prove_delta(Accountant::kPure, cost, 1).value().upper, delta, 1e-12);
}

TEST(Accountant, RefusesTargetsWithoutMeaning) {
  const Cost cost = leaf(cost::Gaussian{1});
  for (const double delta : {-1e-9, 1.0, 2.0, std::nan("")}) {
    EXPECT_EQ(prove_epsilon(Accountant::kGdp, cost, delta).error().where, "delta");
  }
  for (const double epsilon : {-1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    EXPECT_EQ(prove_delta(Accountant::kGdp, cost, epsilon).error().where, "epsilon");
  }
  EXPECT_THAT(prove_epsilon(Accountant::kGdp, cost, 0).error().what, HasSubstr("delta above 0"));
  EXPECT_EQ(prove_epsilon(Accountant::kBasic, leaf(cost::Laplace{2}), 0).value().upper, 0.5);
}

TEST(Accountant, NothingFiniteIsARefusal) {
  const Cost leaky = leaf(cost::Approximate{1, number("0.1")});
  for (const Accountant accountant : {Accountant::kBasic, Accountant::kAdvanced,
                                      Accountant::kOptimal, Accountant::kZcdp, Accountant::kGdp}) {
    EXPECT_THAT(prove_epsilon(accountant, leaky, 0.05).error().what, HasSubstr("no finite"));
  }
  for (const Accountant accountant : kAccountants) {
    EXPECT_FALSE(prove_epsilon(accountant, leaf(cost::NoneProved{"k-anonymous"}), 1e-5));
    EXPECT_FALSE(prove_delta(accountant, leaf(cost::NoneProved{"k-anonymous"}), 1));
  }
}

}  // namespace
}  // namespace tacit

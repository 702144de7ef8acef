#include "tacit/privacy/pure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpfr.h>

#include <cmath>

#include "tacit/privacy/testing/costs.h"

namespace tacit {
namespace {

using testing::HasSubstr;
using testing_costs::leaf;
using testing_costs::number;

Cost pure(std::string_view epsilon, Neighbours neighbours = Neighbours::kAddRemove) {
  return leaf(cost::Pure{number(epsilon)}, neighbours);
}
Rational priced(const Cost& cost) { return pure_epsilon(cost).value(); }

TEST(PureEpsilon, LeavesAreExact) {
  EXPECT_EQ(priced(pure("0.1")), number("0.1"));
  EXPECT_EQ(priced(leaf(cost::Laplace{number("3")})), number("1/3"));
  EXPECT_EQ(priced(leaf(cost::DiscreteLaplace{number("10"), 3})), number("0.3"));
  EXPECT_EQ(priced(leaf(cost::Exponential{number("0.7")})), number("0.7"));
  EXPECT_EQ(priced(leaf(cost::PermuteAndFlip{number("0.7")})), number("0.7"));
  EXPECT_EQ(priced(leaf(cost::SparseVector{number("0.7")})), number("0.7"));
  EXPECT_EQ(priced(leaf(cost::Approximate{number("0.7"), 0})), number("0.7"));
}

TEST(PureEpsilon, TenTenthsAreOne) {
  EXPECT_EQ(priced(Cost::repeat(10, pure("0.1")).value()), Rational(1));
  EXPECT_EQ(priced(Cost::nothing()), Rational(0));
}

TEST(PureEpsilon, ParallelIsTheLargestOrTheTwoLargest) {
  const auto parts = [](Neighbours neighbours) {
    return Cost::parallel(
               {pure("0.2", neighbours), pure("0.5", neighbours), pure("0.3", neighbours)})
        .value();
  };
  EXPECT_EQ(priced(parts(Neighbours::kAddRemove)), number("0.5"));
  EXPECT_EQ(priced(parts(Neighbours::kReplace)), number("0.8"));
  EXPECT_EQ(priced(Cost::parallel({pure("0.2", Neighbours::kReplace)}).value()), number("0.2"));
}

TEST(PureEpsilon, GroupsMultiplyAndReplaceDoubles) {
  EXPECT_EQ(priced(Cost::group(4, pure("0.2")).value()), number("0.8"));
  EXPECT_EQ(priced(Cost::as_replace(pure("0.2")).value()), number("0.4"));
}

TEST(PureEpsilon, RefusesByName) {
  const std::vector<std::pair<Cost, const char*>> cases{
      {leaf(cost::Gaussian{1}), "Gaussian noise has no pure epsilon"},
      {leaf(cost::DiscreteGaussian{1}), "discrete Gaussian"},
      {leaf(cost::Zcdp{1, 0}), "zero-concentrated"},
      {leaf(cost::Renyi{{{2, 1}}}), "Rényi"},
      {leaf(cost::Approximate{1, number("1e-5")}), "delta above 0"},
      {leaf(cost::PartitionSelection{1, number("1e-5")}), "group keys"},
      {leaf(cost::NoneProved{"k-anonymous"}), "k-anonymous"}};
  for (const auto& [cost, why] : cases) {
    const auto refused = pure_epsilon(Cost::compose({pure("1"), cost}).value());
    ASSERT_FALSE(refused.has_value());
    EXPECT_THAT(refused.error().what, HasSubstr(why));
    EXPECT_THAT(refused.error().where, testing::AnyOf(HasSubstr("pure accountant"), "none_proved"));
  }
}

// ---- Irrational values, against MPFR at 256 bits ----

class Mpfr {
 public:
  Mpfr() { mpfr_init2(value_, 256); }
  explicit Mpfr(const Rational& value) : Mpfr() {
    mpfr_set_q(value_, value.mpq().get_mpq_t(), MPFR_RNDN);
  }
  ~Mpfr() { mpfr_clear(value_); }
  Mpfr(const Mpfr&) = delete;
  Mpfr& operator=(const Mpfr&) = delete;
  mpfr_ptr get() { return value_; }

 private:
  mpfr_t value_;
};

void expect_just_above(const Rational& bound, Mpfr& truth) {
  Mpfr excess;
  mpfr_sub_q(excess.get(), truth.get(), bound.mpq().get_mpq_t(), MPFR_RNDN);
  EXPECT_LE(mpfr_sgn(excess.get()), 0);
  EXPECT_GE(mpfr_get_d(excess.get(), MPFR_RNDD), -3e-12);
}

TEST(PureEpsilon, RandomizedResponseIsRoundedUp) {
  for (const auto& [categories, truth] : std::vector<std::pair<std::uint64_t, const char*>>{
           {2, "0.75"}, {2, "0.5000001"}, {10, "0.3"}, {1000000, "0.999999"}, {3, "2/3"}}) {
    const Rational p = number(truth);
    const Rational odds = p * Rational(static_cast<std::int64_t>(categories - 1)) / (1 - p);
    Mpfr log_odds(odds);
    mpfr_log(log_odds.get(), log_odds.get(), MPFR_RNDN);
    const Cost cost = leaf(cost::RandomizedResponse{categories, p}, Neighbours::kReplace);
    expect_just_above(priced(cost), log_odds);
  }
  EXPECT_EQ(priced(leaf(cost::RandomizedResponse{4, number("0.25")}, Neighbours::kReplace)),
            Rational(0));
}

TEST(PureEpsilon, SubsamplingIsRoundedUp) {
  for (const char* rate : {"1e-9", "0.001", "0.04", "0.5", "0.999"}) {
    for (const char* epsilon : {"1e-6", "0.1", "0.999", "1", "8", "120", "5000"}) {
      const Rational q = number(rate);
      Mpfr truth(number(epsilon));
      mpfr_expm1(truth.get(), truth.get(), MPFR_RNDN);
      mpfr_mul_q(truth.get(), truth.get(), q.mpq().get_mpq_t(), MPFR_RNDN);
      mpfr_log1p(truth.get(), truth.get(), MPFR_RNDN);
      expect_just_above(priced(Cost::poisson_sample(q, pure(epsilon)).value()), truth);
    }
  }
  EXPECT_EQ(priced(Cost::poisson_sample(0, pure("1")).value()), Rational(0));
  EXPECT_EQ(priced(Cost::poisson_sample(1, pure("1")).value()), Rational(1));
}

TEST(PureEpsilon, AFixedSizeSampleAmplifiesAsItsRate) {
  const Cost sample = Cost::fixed_size_sample(5, 100, pure("1", Neighbours::kReplace)).value();
  EXPECT_EQ(priced(sample), amplified_epsilon(number("0.05"), 1));
  EXPECT_NEAR(priced(sample).approximate(), std::log1p(0.05 * std::expm1(1)), 2e-12);
}

TEST(PureEpsilon, TinyCostsKeepTheirSize) {
  const Rational tiny = amplified_epsilon(number("1e-9"), number("1e-6"));
  EXPECT_LT(tiny.approximate(), 1.000001e-15);
}

}  // namespace
}  // namespace tacit

#include "tacit/privacy/enclosure_internal.h"

#include <gtest/gtest.h>
#include <mpfr.h>
#include <rapidcheck.h>

#include <functional>

namespace tacit {
namespace {

// The value of a function of MPFR at 256 bits, to be compared with the ends of an interval.
class Truth {
 public:
  explicit Truth(double x) {
    mpfr_init2(value_, 256);
    mpfr_set_d(value_, x, MPFR_RNDN);
  }
  ~Truth() { mpfr_clear(value_); }
  Truth(const Truth&) = delete;
  Truth& operator=(const Truth&) = delete;

  mpfr_ptr get() { return value_; }
  void expect_within(const Enclosure& interval, double relative_width, double at) {
    EXPECT_LE(mpfr_cmp_d(value_, interval.upper), 0) << at;
    EXPECT_GE(mpfr_cmp_d(value_, interval.lower), 0) << at;
    const double size = std::abs(mpfr_get_d(value_, MPFR_RNDN));
    EXPECT_LE(interval.upper - interval.lower, relative_width * size + 1e-300) << at;
  }

 private:
  mpfr_t value_;
};

std::vector<double> points(double from, double to) {
  std::vector<double> all;
  for (int i = 0; i <= 2000; ++i) all.push_back(from + (to - from) * i / 2000.0);
  return all;
}

TEST(Enclosure, HoldsTheElementaryFunctions) {
  for (const double x : points(-700, 700)) {
    Truth truth(x);
    mpfr_exp(truth.get(), truth.get(), MPFR_RNDN);
    truth.expect_within(exp(x), 1e-14, x);
    Truth minus_one(x / 50);
    mpfr_expm1(minus_one.get(), minus_one.get(), MPFR_RNDN);
    minus_one.expect_within(expm1(x / 50), 1e-14, x);
  }
  for (const double x : points(1e-9, 3)) {
    Truth truth(x);
    mpfr_log(truth.get(), truth.get(), MPFR_RNDN);
    truth.expect_within(log(x), 1e-14, x);
    Truth plus_one(x);
    mpfr_log1p(plus_one.get(), plus_one.get(), MPFR_RNDN);
    plus_one.expect_within(log1p(x), 1e-14, x);
    Truth root(x);
    mpfr_sqrt(root.get(), root.get(), MPFR_RNDN);
    root.expect_within(sqrt(Enclosure(x)), 1e-15, x);
  }
}

void tail_of(mpfr_ptr x) {
  mpfr_t two;
  mpfr_init2(two, 256);
  mpfr_sqrt_ui(two, 2, MPFR_RNDN);
  mpfr_div(x, x, two, MPFR_RNDN);
  mpfr_erfc(x, x, MPFR_RNDN);
  mpfr_div_ui(x, x, 2, MPFR_RNDN);
  mpfr_clear(two);
}

void divide_by_density(mpfr_ptr value, double x) {
  mpfr_t factor;
  mpfr_init2(factor, 256);
  mpfr_set_d(factor, x, MPFR_RNDN);
  mpfr_sqr(factor, factor, MPFR_RNDN);
  mpfr_div_ui(factor, factor, 2, MPFR_RNDN);
  mpfr_exp(factor, factor, MPFR_RNDN);
  mpfr_mul(value, value, factor, MPFR_RNDN);
  mpfr_const_pi(factor, MPFR_RNDN);
  mpfr_mul_ui(factor, factor, 2, MPFR_RNDN);
  mpfr_sqrt(factor, factor, MPFR_RNDN);
  mpfr_mul(value, value, factor, MPFR_RNDN);
  mpfr_clear(factor);
}

TEST(Enclosure, HoldsTheNormalTailAndMillsRatio) {
  for (const double x : points(-8, 36)) {
    Truth tail(x);
    tail_of(tail.get());
    tail.expect_within(normal_tail(x), 2e-12, x);
    divide_by_density(tail.get(), x);
    tail.expect_within(mills_ratio(x), x > 35 ? 1e-6 : 4e-12, x);
  }
  for (const double x : {36.0, 37.7, 50.0, 123.4, 1000.0, 3000.0}) {
    Truth tail(x);
    tail_of(tail.get());
    divide_by_density(tail.get(), x);
    tail.expect_within(mills_ratio(x), 1e-6, x);
  }
}

TEST(Enclosure, BasicOperationsHoldTheExactResult) {
  EXPECT_TRUE(rc::check("x op y lies in the interval of x op y", [] {
    const double x = static_cast<double>(*rc::gen::inRange<std::int64_t>(-1L << 52, 1L << 52)) / 3;
    const double y = static_cast<double>(*rc::gen::inRange<std::int64_t>(1, 1L << 52)) / 7;
    const Rational a = Rational::exactly(x).value();
    const Rational b = Rational::exactly(y).value();
    const auto holds = [](const Enclosure& interval, const Rational& truth) {
      return Rational::exactly(interval.lower).value() <= truth &&
             truth <= Rational::exactly(interval.upper).value();
    };
    RC_ASSERT(holds(Enclosure(x) + y, a + b));
    RC_ASSERT(holds(Enclosure(x) - y, a - b));
    RC_ASSERT(holds(Enclosure(x) * y, a * b));
    RC_ASSERT(holds(Enclosure(x) / y, a / b));
    RC_ASSERT(holds(square(x), a * a));
  }));
}

}  // namespace
}  // namespace tacit

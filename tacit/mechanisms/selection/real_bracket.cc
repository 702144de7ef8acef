#include <algorithm>
#include <utility>

#include "tacit/mechanisms/selection/real_bracket_internal.h"
#include "tacit/random/exact_internal.h"

namespace tacit {
namespace {

mpz_class shifted_down(const mpz_class& value, std::size_t bits) {
  mpz_class result;
  mpz_fdiv_q_2exp(result.get_mpz_t(), value.get_mpz_t(), bits);
  return result;
}

mpz_class shifted_up(const mpz_class& value, std::size_t bits) {
  mpz_class result;
  mpz_cdiv_q_2exp(result.get_mpz_t(), value.get_mpz_t(), bits);
  return result;
}

mpz_class divided_down(const mpz_class& a, const mpz_class& b) {
  mpz_class result;
  mpz_fdiv_q(result.get_mpz_t(), a.get_mpz_t(), b.get_mpz_t());
  return result;
}

mpz_class divided_up(const mpz_class& a, const mpz_class& b) {
  mpz_class result;
  mpz_cdiv_q(result.get_mpz_t(), a.get_mpz_t(), b.get_mpz_t());
  return result;
}

}  // namespace

RealBracket::RealBracket(mpz_class lower, mpz_class upper, std::size_t precision)
    : lower_(std::move(lower)), upper_(std::move(upper)), precision_(precision) {}

RealBracket RealBracket::of(const Rational& value, std::size_t precision) {
  const mpz_class scaled = value.mpq().get_num() << precision;
  const mpz_class& denominator = value.mpq().get_den();
  return {divided_down(scaled, denominator), divided_up(scaled, denominator), precision};
}

RealBracket RealBracket::exp_minus(const Rational& exponent, std::size_t precision) {
  // exp(-x) < 2^-x <= 2^-precision: no need to compute a tiny number to many digits.
  if (exponent >= static_cast<std::int64_t>(precision)) return {0, 1, precision};
  Bracket bracket = bracket_exp(exponent.mpq(), static_cast<unsigned>(precision));
  return {std::move(bracket.lo), std::move(bracket.hi), precision};
}

RealBracket operator+(const RealBracket& a, const RealBracket& b) {
  return {a.lower_ + b.lower_, a.upper_ + b.upper_, a.precision_};
}

RealBracket operator-(const RealBracket& a, const RealBracket& b) {
  return {std::max(mpz_class(a.lower_ - b.upper_), mpz_class(0)),
          std::max(mpz_class(a.upper_ - b.lower_), mpz_class(0)), a.precision_};
}

RealBracket operator*(const RealBracket& a, const RealBracket& b) {
  return {shifted_down(a.lower_ * b.lower_, a.precision_),
          shifted_up(a.upper_ * b.upper_, a.precision_), a.precision_};
}

RealBracket operator/(const RealBracket& a, const RealBracket& b) {
  return {divided_down(a.lower_ << a.precision_, b.upper_),
          divided_up(a.upper_ << a.precision_, b.lower_), a.precision_};
}

RealBracket min(const RealBracket& a, const RealBracket& b) {
  return {std::min(a.lower_, b.lower_), std::min(a.upper_, b.upper_), a.precision_};
}

}  // namespace tacit

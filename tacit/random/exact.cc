#include "tacit/random/exact_internal.h"

#include <algorithm>
#include <utility>

namespace tacit {
namespace {

// exp(-r) for 0 < r <= 2^-8, where 2^precision r lies in [scaled, scaled + 1]. The series
// alternates with falling terms; each of its terms is rounded at most once and inherits the
// rounding of the one before it, damped by r, so that every term is off by less than two units.
Bracket exp_of_small(const mpz_class& scaled, unsigned precision) {
  mpz_class sum = mpz_class(1) << precision;
  mpz_class term = sum;
  unsigned terms = 1;
  for (; term != 0; ++terms) {
    term = (term * scaled >> precision) / terms;
    if (terms % 2 == 1) {
      sum -= term;
    } else {
      sum += term;
    }
  }
  const unsigned slack = 2 * terms + 2;
  return {sum - slack, sum + slack};
}

}  // namespace

mpz_class to_mpz(std::uint64_t value) {
  mpz_class result;
  mpz_import(result.get_mpz_t(), 1, 1, sizeof value, 0, 0, &value);
  return result;
}

std::uint64_t to_word(const mpz_class& value) {
  std::uint64_t word = 0;
  mpz_export(&word, nullptr, 1, sizeof word, 0, 0, value.get_mpz_t());
  return word;
}

Bracket bracket_rational(const mpq_class& value, unsigned bits) {
  const mpz_class scaled = value.get_num() << bits;
  Bracket bracket;
  mpz_fdiv_q(bracket.lo.get_mpz_t(), scaled.get_mpz_t(), value.get_den_mpz_t());
  mpz_cdiv_q(bracket.hi.get_mpz_t(), scaled.get_mpz_t(), value.get_den_mpz_t());
  return bracket;
}

Bracket bracket_exp(const mpq_class& x, unsigned bits) {
  const mpz_class one = mpz_class(1) << bits;
  if (x <= 0) return {one, one};
  if (x >= bits) return {0, 1};  // exp(-bits) < 2^-bits
  // exp(-x) = exp(-x / 2^halvings)^(2^halvings); each squaring doubles the relative error, which
  // the extra precision pays for.
  const mpz_class whole = x.get_num() / x.get_den();
  const auto halvings = static_cast<unsigned>(mpz_sizeinbase(whole.get_mpz_t(), 2)) + 8;
  const unsigned precision = bits + halvings + 32;
  const mpz_class scaled = (x.get_num() << (precision - halvings)) / x.get_den();
  auto [lo, hi] = exp_of_small(scaled, precision);
  for (unsigned i = 0; i < halvings; ++i) {
    lo = lo * lo >> precision;
    hi = (hi * hi >> precision) + 1;
  }
  const unsigned extra = precision - bits;
  return {lo >> extra, std::min(mpz_class((hi >> extra) + 1), one)};
}

void UniformPrefix::append(std::uint64_t word, unsigned word_bits) {
  digits_ <<= word_bits;
  digits_ += to_mpz(word);
  bits_ += word_bits;
}

UniformPrefix::Side UniformPrefix::side_of(const Bracket& p, unsigned bits) const {
  const mpz_class low = digits_ << (bits - this->bits());
  const mpz_class high = mpz_class(digits_ + 1) << (bits - this->bits());
  if (high <= p.lo) return Side::kBelow;
  if (low >= p.hi) return Side::kNotBelow;
  if (low <= p.lo && p.hi <= high) return Side::kStraddles;
  return Side::kUnclear;
}

}  // namespace tacit

#include "tacit/random/geometric_digits_internal.h"

namespace tacit {
namespace {

// E / (1 + E), which rises with E.
Bracket logistic(const Bracket& e, unsigned bits) {
  const mpz_class one = mpz_class(1) << bits;
  const mpz_class denominator_hi = one + e.hi;
  Bracket result;
  result.lo = (e.lo << bits) / (one + e.lo);
  const mpz_class scaled = e.hi << bits;
  mpz_cdiv_q(result.hi.get_mpz_t(), scaled.get_mpz_t(), denominator_hi.get_mpz_t());
  return result;
}

}  // namespace

GeometricDigits::GeometricDigits(const mpq_class& scale, unsigned word_bits) : rate_(1 / scale) {
  for (unsigned bits = 320; !compute_thresholds(bits, word_bits);) bits *= 2;
}

// E_j = exp(-2^j / scale) by repeated squaring. False where the bracket does not tell a threshold.
bool GeometricDigits::compute_thresholds(unsigned bits, unsigned word_bits) {
  thresholds_.clear();
  const unsigned dropped = bits - word_bits;
  const mpz_class unit = mpz_class(1) << dropped;
  for (Bracket e = bracket_exp(rate_, bits); e.hi >= unit;) {
    const Bracket p = logistic(e, bits);
    const mpz_class threshold = p.lo >> dropped;
    if (threshold != p.hi >> dropped) return false;
    thresholds_.push_back(to_word(threshold));
    e.lo = e.lo * e.lo >> bits;
    e.hi = (e.hi * e.hi >> bits) + 1;
  }
  return true;
}

Bracket GeometricDigits::digit_probability(std::size_t digit, unsigned bits) const {
  return logistic(bracket_exp(rate_ * (mpz_class(1) << digit), bits), bits);
}

Bracket GeometricDigits::beyond_probability(unsigned bits) const {
  return bracket_exp(rate_ * (mpz_class(1) << thresholds_.size()), bits);
}

}  // namespace tacit

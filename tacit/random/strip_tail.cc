#include "tacit/random/strip_tail_internal.h"

namespace tacit {
namespace {

// The weight of the unthinned tail over the weight of one index, unit * 2^column_bits * 2^-63.
template <class Exponent>
BiasedCoin tail_coin(const Exponent& exponent, const StripStack& stack) {
  const std::uint64_t start = stack.strips.front().width;
  const mpz_class index_weight = to_mpz(stack.unit) << stack.column_bits;
  const int signs = stack.support == Support::kSymmetric ? 2 : 1;
  const auto probability = [=, at_start = exponent.exact(start),
                            slope = exponent.slope(start)](unsigned bits) {
    // 1 - exp(-slope) is at least 2^-41: the further bits keep the quotient as sharp as asked.
    const unsigned precision = bits + 128;
    const Bracket first = bracket_exp(at_start, precision);
    const Bracket ratio = bracket_exp(slope, precision);
    const mpz_class one = mpz_class(1) << precision;
    const auto scaled = [&](const mpz_class& weight) {
      return mpz_class(signs * weight << (63 + bits));
    };
    Bracket result;
    result.lo = scaled(first.lo) / ((one - ratio.lo) * index_weight);
    const mpz_class denominator = (one - ratio.hi) * index_weight;
    mpz_cdiv_q(result.hi.get_mpz_t(), scaled(first.hi).get_mpz_t(), denominator.get_mpz_t());
    return result;
  };
  return {probability, stack.layout.word_bits};
}

}  // namespace

template <class Exponent>
StripTail<Exponent>::StripTail(const Exponent& exponent, const StripStack& stack)
    : support_(stack.support),
      start_(stack.strips.front().width),
      coin_(tail_coin(exponent, stack)),
      distance_(1 / exponent.slope(start_), stack.layout.word_bits) {}

template class StripTail<LinearExponent>;
template class StripTail<QuadraticExponent>;

}  // namespace tacit

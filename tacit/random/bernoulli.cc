#include "tacit/random/bernoulli.h"

#include <algorithm>

#include "tacit/random/bernoulli_internal.h"
#include "tacit/random/word_block_internal.h"

namespace tacit {
namespace {

void fill(SecureStream& stream, const BiasedCoin& coin, std::span<bool> values) {
  WordBlock words(stream, values.size());
  for (bool& value : values) value = coin.toss<Path::kFastThenExact>(words);
}

}  // namespace

BiasedCoin::BiasedCoin(Probability probability, unsigned word_bits)
    : probability_(std::move(probability)) {
  constexpr unsigned kBits = 192;
  const Bracket bracket = probability_(kBits);
  const mpz_class largest = (mpz_class(1) << word_bits) - 1;
  const auto word = [&](const mpz_class& bound) {
    const mpz_class floored = std::min(mpz_class(bound >> (kBits - word_bits)), largest);
    return to_word(floored);
  };
  threshold_ = {word(bracket.lo), word(bracket.hi)};
}

BiasedCoin BiasedCoin::rational(const mpq_class& p, unsigned word_bits) {
  const mpq_class clamped = std::clamp(p, mpq_class(0), mpq_class(1));
  return {[clamped](unsigned bits) { return bracket_rational(clamped, bits); }, word_bits};
}

BiasedCoin BiasedCoin::exponential(const mpq_class& x, unsigned word_bits) {
  return {[x](unsigned bits) { return bracket_exp(x, bits); }, word_bits};
}

bool sample_bernoulli(SecureStream& stream, const Rational& p) {
  return BiasedCoin::rational(p.mpq(), SecureStream::kWordBits).toss<Path::kFastThenExact>(stream);
}

void fill_bernoulli(SecureStream& stream, const Rational& p, std::span<bool> values) {
  fill(stream, BiasedCoin::rational(p.mpq(), SecureStream::kWordBits), values);
}

bool sample_bernoulli_exp(SecureStream& stream, const Rational& x) {
  return BiasedCoin::exponential(x.mpq(), SecureStream::kWordBits)
      .toss<Path::kFastThenExact>(stream);
}

void fill_bernoulli_exp(SecureStream& stream, const Rational& x, std::span<bool> values) {
  fill(stream, BiasedCoin::exponential(x.mpq(), SecureStream::kWordBits), values);
}

}  // namespace tacit

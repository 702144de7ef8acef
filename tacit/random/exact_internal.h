#pragma once

#include <gmpxx.h>

#include <cstdint>

#include "tacit/random/word_source_internal.h"

namespace tacit {

// Bounds on 2^bits p for a real number p, at a number of bits known from the context. Either
// lo == hi == 2^bits p, or lo < 2^bits p < hi.
struct Bracket {
  mpz_class lo;
  mpz_class hi;
};

[[nodiscard]] mpz_class to_mpz(std::uint64_t value);
// The value must lie in the range of a word.
[[nodiscard]] std::uint64_t to_word(const mpz_class& value);

[[nodiscard]] Bracket bracket_rational(const mpq_class& value, unsigned bits);

// exp(-x) for x >= 0, to within three units of the last bit. (Exponentials of nonzero rationals are
// irrational, so only x = 0 is met exactly.)
[[nodiscard]] Bracket bracket_exp(const mpq_class& x, unsigned bits);

// A uniform real number in [0, 1) of which only the leading binary digits have been drawn.
class UniformPrefix {
 public:
  UniformPrefix(std::uint64_t word, unsigned word_bits) : digits_(to_mpz(word)), bits_(word_bits) {}

  void append(std::uint64_t word, unsigned word_bits);

  enum class Side {
    kBelow,      // every completion of the prefix is below p
    kNotBelow,   // none is
    kStraddles,  // p lies strictly inside the prefix's interval: another word is needed
    kUnclear,    // the bracket of p is too wide to tell
  };
  // `bits` is at least the number of bits drawn.
  [[nodiscard]] Side side_of(const Bracket& p, unsigned bits) const;

  [[nodiscard]] unsigned bits() const { return bits_; }

 private:
  mpz_class digits_;
  unsigned bits_;
};

// Whether the uniform real that begins with `word` lies below p, where probability(bits) gives the
// bracket of p at any precision. Draws a further word exactly when p lies strictly inside the
// interval of the words drawn so far, so the words used do not depend on how p is computed.
template <WordSource Source, class Probability>
bool uniform_below(std::uint64_t word, const Probability& probability, Source& source) {
  UniformPrefix uniform(word, Source::kWordBits);
  for (unsigned bits = 128;;) {
    switch (uniform.side_of(probability(bits), bits)) {
      case UniformPrefix::Side::kBelow:
        return true;
      case UniformPrefix::Side::kNotBelow:
        return false;
      case UniformPrefix::Side::kStraddles:
        uniform.append(source.next(), Source::kWordBits);
        if (bits < uniform.bits() + 64) bits *= 2;
        break;
      case UniformPrefix::Side::kUnclear:
        bits *= 2;
        break;
    }
  }
}

}  // namespace tacit

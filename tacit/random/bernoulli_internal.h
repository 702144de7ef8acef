#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "tacit/random/exact_internal.h"
#include "tacit/random/fixed_exp_internal.h"
#include "tacit/random/word_source_internal.h"

namespace tacit {

// Whether the uniform real that begins with `word` lies below p, given bounds on p from machine
// words and, for the case that they do not tell, brackets of p at any precision.
template <Path path, WordSource Source, class Probability>
bool uniform_below(std::uint64_t word, FixedBounds fast, const Probability& probability,
                   Source& source) {
  if constexpr (path == Path::kFastThenExact) {
    constexpr int kShift = 63 - static_cast<int>(Source::kWordBits);
    const std::uint64_t low = kShift >= 0 ? word << (kShift & 63) : word >> 1;
    const std::uint64_t width = kShift >= 0 ? std::uint64_t{1} << (kShift & 63) : 1;
    if (low + width <= fast.lo) return true;
    if (low >= fast.hi) return false;
  }
  return uniform_below(word, probability, source);
}

// A coin of one bias, for many tosses: a word decides unless it equals the threshold.
class BiasedCoin {
 public:
  using Probability = std::function<Bracket(unsigned bits)>;

  BiasedCoin(Probability probability, unsigned word_bits);

  // p itself, and exp(-x); p beyond [0, 1] counts as its nearer end, x below 0 as 0.
  static BiasedCoin rational(const mpq_class& p, unsigned word_bits);
  static BiasedCoin exponential(const mpq_class& x, unsigned word_bits);

  // A toss whose word is above this is false.
  [[nodiscard]] std::uint64_t refused_above() const { return threshold_.hi; }

  template <Path path, WordSource Source>
  bool toss(std::uint64_t word, Source& source) const {
    if constexpr (path == Path::kFastThenExact) {
      if (word < threshold_.lo) return true;
      if (word > threshold_.hi) return false;
    }
    return uniform_below(word, probability_, source);
  }
  template <Path path, WordSource Source>
  bool toss(Source& source) const {
    return toss<path>(source.next(), source);
  }

 private:
  Probability probability_;
  // floor(2^word_bits p), or the largest word where p = 1. Two values only in the case that 192
  // bits do not tell which of two neighbours it is.
  FixedBounds threshold_;
};

}  // namespace tacit

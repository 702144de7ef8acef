#pragma once

#include <gmpxx.h>

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "tacit/random/exact_internal.h"
#include "tacit/random/word_source_internal.h"

namespace tacit {

// Values that would leave the range of std::int64_t stop at its end.
inline constexpr std::uint64_t kLargestMagnitude = std::numeric_limits<std::int64_t>::max();

// Samples k >= 0 with probability proportional to exp(-k / scale) by its binary digits.
//
// Writing k = sum of 2^j b_j makes exp(-k / scale) a product over j, so the digits are independent
// and b_j is 1 with probability p_j = 1 / (1 + exp(2^j / scale)). The digits below 2^n are drawn
// from n words, all n of them whatever the value; what is left, floor(k / 2^n), is geometric again
// and is not 0 with probability exp(-2^n / scale), which n makes smaller than one unit of a word.
// So the time a draw takes does not depend on the value drawn.
class GeometricDigits {
 public:
  // 2^-30 <= scale <= 2^40.
  GeometricDigits(const mpq_class& scale, unsigned word_bits);

  template <Path path, WordSource Source>
  std::uint64_t sample(Source& source) const {
    std::array<std::uint64_t, kMostDigits + 1> storage;
    const auto words = std::span(storage).first(thresholds_.size() + 1);
    source.fill(words);
    if constexpr (path == Path::kFastThenExact) {
      std::uint64_t value = 0;
      bool undecided = words.back() == 0;
      for (std::size_t j = 0; j < thresholds_.size(); ++j) {
        value |= std::uint64_t{words[j] < thresholds_[j]} << j;
        undecided |= words[j] == thresholds_[j];
      }
      if (!undecided) [[likely]] {
        return value;
      }
    }
    return resolve(words, source);
  }

  // floor(2^word_bits p_j) for the digits j that are drawn one by one.
  [[nodiscard]] std::span<std::uint64_t> thresholds() { return thresholds_; }

 private:
  static constexpr std::size_t kMostDigits = 46;

  [[nodiscard]] bool compute_thresholds(unsigned bits, unsigned word_bits);
  [[nodiscard]] Bracket digit_probability(std::size_t digit, unsigned bits) const;
  [[nodiscard]] Bracket beyond_probability(unsigned bits) const;

  template <WordSource Source>
  std::uint64_t resolve(std::span<const std::uint64_t> words, Source& source) const {
    std::uint64_t value = 0;
    for (std::size_t j = 0; j < thresholds_.size(); ++j) {
      const auto probability = [&](unsigned bits) { return digit_probability(j, bits); };
      value |= std::uint64_t{uniform_below(words[j], probability, source)} << j;
    }
    const auto beyond = [&](unsigned bits) { return beyond_probability(bits); };
    for (std::uint64_t word = words.back(); uniform_below(word, beyond, source);) {
      const std::uint64_t step = std::uint64_t{1} << thresholds_.size();
      value = value > kLargestMagnitude - step ? kLargestMagnitude : value + step;
      word = source.next();
    }
    return value;
  }

  mpq_class rate_;  // 1 / scale
  std::vector<std::uint64_t> thresholds_;
};

}  // namespace tacit

#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tacit/random/direct_internal.h"
#include "tacit/random/strip_stack_internal.h"
#include "tacit/random/strip_tail_internal.h"
#include "tacit/random/word_block_internal.h"

namespace tacit {

// Samples x with probability proportional to f(x) = exp(-g(|x|)), many times: rejection from a
// stack of strips that covers the graph of f, a discrete ziggurat (Marsaglia and Tsang, 2000) made
// of whole numbers. docs/noise.md has the picture and the proof.
//
// A word chooses a strip and a column. In the sure part of the strip, which is nearly all of it,
// that is the sample. Elsewhere a uniform height in the strip is compared with f, by machine words
// when their bounds tell and exactly when not; above f the try has failed.
template <class Exponent>
class Strips {
 public:
  Strips(Exponent exponent, Support support, StripLayout layout = {});

  template <Path path, WordSource Source>
  std::optional<std::int64_t> attempt(Source& source) const {
    const std::uint64_t word = source.next();
    const std::size_t index = word & (lanes_.size() - 1);
    if (index == stack_.tail_index()) return tail_.template attempt<path>(exponent_, source);
    const Lane& lane = lanes_[index];
    const uint128 product = lane.product(word << (64 - Source::kWordBits) & column_mask_);
    if (static_cast<std::uint64_t>(product) < lane.excess) return std::nullopt;
    const std::int64_t value = lane.value(product, zero_shift_);
    const auto magnitude = static_cast<std::uint64_t>(value < 0 ? -value : value);
    const Strip& strip = stack_.strips[index];
    const bool sure = path == Path::kFastThenExact
                          ? magnitude < strip.sure
                          : exactly_reaches(exponent_, magnitude, strip.top());
    if (sure || keep<path>(strip, magnitude, source)) return value;
    return std::nullopt;
  }

  template <WordSource Source>
  void fill(WordBlock<Source>& words, std::span<std::int64_t> values) const {
    static_assert(Source::kWordBits == 64);
    while (!values.empty()) {
      const std::size_t filled = fill_sure(words.ahead(), values);
      words.skip(filled);
      values = values.subspan(filled);
      if (values.empty()) return;
      values.front() = first_success<Path::kFastThenExact>(*this, words);
      values = values.subspan(1);
    }
  }

  [[nodiscard]] const StripStack& stack() const { return stack_; }

  // Writes the numbers of a GaussianTable.
  void tabulate(std::span<std::uint64_t> words) const
    requires Exponent::kCurved;

 private:
  // What the sure path needs of a strip, by index. Columns are counted from the left.
  struct Lane {
    std::uint64_t columns = 0;
    std::uint64_t excess = 1;  // a product whose low word is below this falls to no column
    std::uint64_t sure_begin = 0;
    std::uint64_t sure_count = 0;

    [[nodiscard]] uint128 product(std::uint64_t high_bits) const {
      return uint128{high_bits} * columns;
    }
    [[nodiscard]] std::int64_t value(uint128 product, unsigned zero_shift) const {
      const std::uint64_t zero = columns >> zero_shift;
      return static_cast<std::int64_t>(static_cast<std::uint64_t>(product >> 64) - zero);
    }
    [[nodiscard]] bool is_sure(uint128 product) const {
      return static_cast<std::uint64_t>(product) >= excess &&
             static_cast<std::uint64_t>(product >> 64) - sure_begin < sure_count;
    }
  };

  [[nodiscard]] Lane lane_of(const Strip& strip) const;
  // The probability that a uniform height in the strip lies below f(magnitude).
  [[nodiscard]] Bracket keep_probability(const Strip& strip, std::uint64_t magnitude,
                                         unsigned bits) const;

  // Fills values for as long as each needs but one word; how many these were.
  std::size_t fill_sure(std::span<const std::uint64_t> words,
                        std::span<std::int64_t> values) const {
    const Lane* const lanes = lanes_.data();
    const std::uint64_t index_mask = lanes_.size() - 1;
    const std::uint64_t column_mask = column_mask_;
    const unsigned zero_shift = zero_shift_;
    const std::size_t most = std::min(words.size(), values.size());
    for (std::size_t i = 0; i < most; ++i) {
      const Lane& lane = lanes[words[i] & index_mask];
      const uint128 product = lane.product(words[i] & column_mask);
      if (!lane.is_sure(product)) return i;
      values[i] = lane.value(product, zero_shift);
    }
    return most;
  }

  template <Path path, WordSource Source>
  bool keep(const Strip& strip, std::uint64_t magnitude, Source& source) const {
    const std::uint64_t word = source.next();
    if constexpr (path == Path::kFastThenExact) {
      const uint128 rise = uint128{word} * strip.height;
      const auto low = static_cast<std::uint64_t>(rise >> Source::kWordBits);
      const auto high = static_cast<std::uint64_t>((rise + strip.height) >> Source::kWordBits) + 1;
      const FixedBounds weight = exponent_.weight(magnitude);
      if (strip.base + high <= weight.lo) return true;
      if (strip.base + low >= weight.hi) return false;
    }
    const auto probability = [&](unsigned bits) {
      return keep_probability(strip, magnitude, bits);
    };
    return uniform_below(word, probability, source);
  }

  Exponent exponent_;
  StripStack stack_;
  StripTail<Exponent> tail_;
  std::uint64_t column_mask_;
  unsigned zero_shift_;  // the column of 0 is columns >> zero_shift
  std::vector<Lane> lanes_;
};

}  // namespace tacit

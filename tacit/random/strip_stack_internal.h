#pragma once

#include <cstdint>
#include <vector>

#include "tacit/random/exponent_internal.h"

namespace tacit {

enum class Support { kNonNegative, kSymmetric };

// How a word is split: its low bits choose a strip, its high bits a column. And where the tail
// begins: where f falls below tail_level * 2^-63. Below 2^-10 the tail weighs less than one index
// of 2^8 (docs/noise.md).
struct StripLayout {
  unsigned word_bits = 64;
  unsigned index_bits = 8;
  std::uint64_t tail_level = kFixedOne >> 10;
};

// One strip: the columns |x| < width, from level base to base + height, in units of 2^-63.
struct Strip {
  std::uint64_t width = 0;
  std::uint64_t base = 0;
  std::uint64_t height = 0;
  std::uint64_t words = 0;  // how many choices of the high bits fall to each column
  std::uint64_t sure = 0;   // the columns |x| < sure lie below the graph to the top of the strip

  [[nodiscard]] std::uint64_t top() const { return base + height; }
};

// A stack of strips that covers the graph of f(x) = exp(-g(|x|)) over |x| < width of the first.
//
// Everything is a whole number. height = unit * words in every strip, so that all pieces of the
// stack of one column's width and the same height are chosen equally often. A strip is as wide as
// it must be, and its sure part is as wide as it may be:
//   width of the next strip = sure part of this one = number of m < width with f(m) >= top.
// So no point of the graph above a strip's top lies between the widths of the first and of the
// next.
struct StripStack {
  Support support = Support::kSymmetric;
  StripLayout layout;
  unsigned column_bits = 0;  // how many high bits choose the column
  std::uint64_t unit = 0;    // the height that is worth one word
  std::vector<Strip> strips;

  // Indexes from the first unused one on stand for no strip; the first stands for the tail.
  [[nodiscard]] std::size_t tail_index() const { return strips.size(); }
  [[nodiscard]] std::uint64_t columns(std::uint64_t width) const {
    return support == Support::kSymmetric ? 2 * width - 1 : width;
  }
};

template <class Exponent>
[[nodiscard]] StripStack build_strips(const Exponent& exponent, Support support,
                                      StripLayout layout);

// Whether f(m) >= level * 2^-63: by machine words where they tell, else exactly; and exactly.
template <class Exponent>
[[nodiscard]] bool reaches(const Exponent& exponent, std::uint64_t m, std::uint64_t level);
template <class Exponent>
[[nodiscard]] bool exactly_reaches(const Exponent& exponent, std::uint64_t m, std::uint64_t level);

}  // namespace tacit

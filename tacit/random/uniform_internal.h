#pragma once

#include <cstdint>

#include "tacit/base/int128.h"
#include "tacit/random/word_source_internal.h"

namespace tacit {

// Uniform below n (n >= 1) by multiplication (Lemire, "Fast random integer generation in an
// interval", 2019). Of the 2^bits words w those with w n mod 2^bits >= 2^bits mod n fall
// floor(2^bits / n) to each value of floor(w n / 2^bits); the others are drawn again.
template <WordSource Source>
std::uint64_t uniform_below_n(Source& source, std::uint64_t n) {
  constexpr unsigned kBits = Source::kWordBits;
  constexpr uint128 kWords = uint128{1} << kBits;
  for (;;) {
    const uint128 product = uint128{source.next()} * n;
    const uint128 low = product & (kWords - 1);
    // The remainder is below n, so most words are accepted without dividing.
    if (low >= n || low >= kWords % n) return static_cast<std::uint64_t>(product >> kBits);
  }
}

}  // namespace tacit

#pragma once

#include <gmpxx.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "tacit/random/word_source_internal.h"

namespace tacit {

// 64 tosses at a time of a coin that is 1 with probability p, exactly. In each of 64 lanes a
// uniform real is compared with p, one binary digit a word: a lane is decided at the first digit in
// which the two differ. All lanes are decided after eight words on average.
class BitCoin {
 public:
  // 0 <= p <= 1.
  explicit BitCoin(mpq_class p);

  template <WordSource Source>
  std::uint64_t toss(Source& source) const {
    std::uint64_t ones = 0;
    std::uint64_t open = ~std::uint64_t{0};
    for (std::size_t i = 0; open != 0 && i < digits_; ++i) {
      const std::uint64_t uniform = source.next();
      if (digit(i)) {
        ones |= open & ~uniform;
        open &= uniform;
      } else {
        open &= ~uniform;
      }
    }
    // A lane that agrees with all digits of a p that ends is not below it.
    return always_ ? ~std::uint64_t{0} : ones;
  }

 private:
  static constexpr std::size_t kTableWords = 3;

  // The digit of weight 2^-(i+1).
  [[nodiscard]] bool digit(std::size_t i) const {
    return i < 64 * kTableWords ? (table_[i / 64] >> (63 - i % 64) & 1U) != 0 : far_digit(i);
  }
  [[nodiscard]] bool far_digit(std::size_t i) const;

  mpq_class p_;
  bool always_;
  // How many digits p has; the largest number for a p that does not end.
  std::size_t digits_;
  std::array<std::uint64_t, kTableWords> table_{};
};

}  // namespace tacit

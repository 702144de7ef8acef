#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "tacit/base/error.h"
#include "tacit/base/rational.h"
#include "tacit/random/secure_stream.h"

namespace tacit {

// The discrete Gaussian distribution for processors that draw from it with code of their own: the
// numbers that a draw needs, and a way to finish the rare draws that machine words cannot decide.
//
// A draw is a sequence of attempts, and an attempt is a function of the words that it reads
// (docs/noise.md, "Long vectors: strips"). Of the first two of them `attempt` here, or its like
// elsewhere, decides all but a few in ten thousand; the others it leaves open. resume() takes up an
// attempt that was left open with the same words, and so the law of the whole is exact.
class GaussianTable {
 public:
  // P(x) proportional to exp(-x^2 / (2 variance)); the range is that of DiscreteGaussian.
  static Result<GaussianTable> create(const Rational& variance);

  // Where the numbers stand among words().
  enum Place : std::size_t {
    kTailIndex,         // the index of the tail
    kTailRefusedAbove,  // a second word above this fails in the tail; others are left open
    kColumnMask,        // the bits of a word that choose a column
    kLimit,             // from this magnitude on a weight is below 2^-63
    kShift,             // 2^58 g(m) = high(high'(m << shift)^2 * reciprocal), see exponent.cc
    kReciprocal,
    kTaylor,                // floor(2^62 / k!), k = 0 .. 18
    kLanes = kTaylor + 19,  // of 256 strips: six words each, as LanePlace says
  };
  enum LanePlace : std::size_t { kColumns, kExcess, kSureBegin, kSureCount, kBase, kHeight, kLane };
  static constexpr std::size_t kStrips = 256;

  [[nodiscard]] const std::vector<std::uint64_t>& words() const { return words_; }

  // The draw whose last attempt read these words and was left open. Reads further ones, and makes
  // further attempts, from the stream.
  std::int64_t resume(const std::array<std::uint64_t, 2>& words, SecureStream& stream) const;

 private:
  struct State;
  explicit GaussianTable(std::shared_ptr<const State> state);

  std::shared_ptr<const State> state_;
  std::vector<std::uint64_t> words_;
};

}  // namespace tacit

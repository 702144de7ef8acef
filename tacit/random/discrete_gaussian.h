#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "tacit/base/rational.h"
#include "tacit/random/secure_stream.h"

namespace tacit {

// P(x) proportional to exp(-x^2 / (2 variance)), on the integers; exactly. Noise of a scale s on
// the grid of multiples of 2^k is 2^k times noise of scale s / 2^k on the integers (see on_grid).
//
// A value, cheap to copy, that threads may share. A value beyond the range of std::int64_t stops at
// its end; the probability of that is below exp(-2^20) and stopping is post-processing.
class DiscreteGaussian {
 public:
  static Result<DiscreteGaussian> create(const Rational& variance);

  // The time of one draw does not depend on the value drawn (docs/noise.md).
  std::int64_t sample(SecureStream& stream) const;
  // Long vectors take a faster way, whose time in total tells a little more.
  void fill(SecureStream& stream, std::span<std::int64_t> values) const;

 private:
  struct State;
  explicit DiscreteGaussian(std::shared_ptr<const State> state);

  std::shared_ptr<const State> state_;
};

}  // namespace tacit

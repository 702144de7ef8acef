#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "tacit/base/rational.h"
#include "tacit/random/secure_stream.h"

namespace tacit {

// The discrete Gaussian distribution P(x) proportional to exp(-x^2 / (2 variance)) on the integers,
// exactly. (The variance of its draws is a little below the parameter when that is small.) The
// variance lies between 2^-60 and 2^80; on the grid of multiples of 2^j a variance v is v / 4^j.
//
// A value, cheap to copy, that threads may share. A draw beyond the range of std::int64_t stops at
// its end; that has a probability below exp(-2^20), and stopping is post-processing.
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

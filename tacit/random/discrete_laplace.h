#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "tacit/base/rational.h"
#include "tacit/random/secure_stream.h"

namespace tacit {

// The discrete Laplace distribution P(x) proportional to exp(-|x| / scale) on the integers,
// exactly. The scale lies between 2^-30 and 2^40; on the grid of multiples of 2^j a scale s is s /
// 2^j.
//
// A value, cheap to copy, that threads may share. A draw beyond the range of std::int64_t stops at
// its end; that has a probability below exp(-2^20), and stopping is post-processing.
class DiscreteLaplace {
 public:
  static Result<DiscreteLaplace> create(const Rational& scale);

  // The time of one draw does not depend on the value drawn (docs/noise.md).
  std::int64_t sample(SecureStream& stream) const;
  // Long vectors take a faster way, whose time in total tells a little more.
  void fill(SecureStream& stream, std::span<std::int64_t> values) const;

 private:
  struct State;
  explicit DiscreteLaplace(std::shared_ptr<const State> state);

  std::shared_ptr<const State> state_;
};

}  // namespace tacit

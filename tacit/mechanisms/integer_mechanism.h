#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tacit/base/error.h"
#include "tacit/base/int128.h"
#include "tacit/mechanisms/release.h"
#include "tacit/mechanisms/sensitivity.h"
#include "tacit/privacy/cost.h"
#include "tacit/privacy/permit.h"
#include "tacit/random/samplers.h"
#include "tacit/random/secure_stream.h"

namespace tacit {

// Adds noise of one law to integers: what Laplace and Gaussian noise have in common. The mechanism
// built on it knows how much noise there must be and what it costs.
//
// Immutable after creation; may be shared between threads.
template <class Sampler>
class IntegerMechanism {
 public:
  [[nodiscard]] const Cost& cost() const { return cost_; }

  // One value for each coordinate of the sensitivity. Consumes the permit, which must be for
  // exactly cost().
  Result<Released<std::int64_t>> release(std::int64_t value, Permit&& permit,
                                         SecureStream& stream) const;
  Result<Released<std::vector<std::int64_t>>> release(std::span<const std::int64_t> values,
                                                      Permit&& permit, SecureStream& stream) const;
  // For totals that may not fit a word.
  Result<Released<std::vector<int128>>> release(std::span<const int128> values, Permit&& permit,
                                                SecureStream& stream) const;

 protected:
  // The interval is of one coordinate.
  IntegerMechanism(const Sensitivity& sensitivity, Cost cost, Sampler sampler, Interval interval);

 private:
  std::optional<std::uint64_t> length_;  // none where any will do
  Cost cost_;
  Sampler sampler_;
  Interval interval_;
};

extern template class IntegerMechanism<DiscreteLaplace>;
extern template class IntegerMechanism<DiscreteGaussian>;

}  // namespace tacit

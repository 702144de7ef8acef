#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "tacit/mechanisms/release.h"
#include "tacit/mechanisms/selection/selection.h"
#include "tacit/privacy/permit.h"
#include "tacit/random/secure_stream.h"

namespace tacit {

class WeightedChoice;

// The exponential mechanism (McSherry and Talwar 2007) on integer scores: candidate i is chosen
// with probability proportional to exp(epsilon · score_i / (2 sensitivity)), or with twice that
// exponent for monotonic scores; exactly so. The proof is in proof.md.
//
// Report noisy max with Gumbel noise has the same law and is this class. Immutable; may be shared
// between threads.
class ExponentialMechanism {
 public:
  static Result<ExponentialMechanism> create(SelectionPrivacy privacy);

  [[nodiscard]] const Cost& cost() const { return cost_; }

  // The index of the chosen candidate. Refuses, before the permit is touched, an empty list.
  Result<Released<std::size_t>> release(std::span<const std::int64_t> scores, Permit&& permit,
                                        SecureStream& stream) const;

 private:
  ExponentialMechanism(std::shared_ptr<const WeightedChoice> choice, Cost cost);

  std::shared_ptr<const WeightedChoice> choice_;
  Cost cost_;
};

}  // namespace tacit

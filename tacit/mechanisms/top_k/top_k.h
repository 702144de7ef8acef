#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tacit/mechanisms/release.h"
#include "tacit/mechanisms/selection/selection.h"
#include "tacit/privacy/permit.h"
#include "tacit/random/secure_stream.h"

namespace tacit {

class WeightedChoice;

// The best k candidates, in order: the exponential mechanism k times, each time on the candidates
// that are left. The same law as taking the k largest of scores with Gumbel noise added once
// (Durfee and Rogers 2019). The proof is in proof.md. Immutable; may be shared between threads.
class TopK {
 public:
  // `each` is the promise of one of the k choices; together they cost k times it, by whatever
  // accountant reads the cost.
  static Result<TopK> create(std::size_t k, SelectionPrivacy each);

  [[nodiscard]] const Cost& cost() const { return cost_; }
  [[nodiscard]] std::size_t k() const { return k_; }

  // The indices of the chosen candidates, first choice first. Refuses, before the permit is
  // touched, fewer than k candidates.
  Result<Released<std::vector<std::size_t>>> release(std::span<const std::int64_t> scores,
                                                     Permit&& permit, SecureStream& stream) const;

 private:
  TopK(std::size_t k, std::shared_ptr<const WeightedChoice> choice, Cost cost);

  std::size_t k_;
  std::shared_ptr<const WeightedChoice> choice_;
  Cost cost_;
};

}  // namespace tacit

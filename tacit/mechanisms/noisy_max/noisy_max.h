#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>

#include "tacit/base/int128.h"
#include "tacit/mechanisms/exponential/exponential.h"
#include "tacit/mechanisms/permute_and_flip/permute_and_flip.h"
#include "tacit/mechanisms/release.h"
#include "tacit/mechanisms/selection/selection.h"
#include "tacit/privacy/permit.h"
#include "tacit/random/samplers.h"
#include "tacit/random/secure_stream.h"

namespace tacit {

// Report noisy max: add independent noise to every score and name the largest. With continuous
// noise two of its forms have the law of a mechanism that needs no continuous noise (proof.md):
using GumbelNoisyMax = ExponentialMechanism;
using ExponentialNoisyMax = PermuteAndFlip;

// Report noisy max with integer noise; of equal noisy scores the one of lowest index wins. The
// noise has scale 2 sensitivity / epsilon, or half of it for monotonic scores. The proof is in
// proof.md. Immutable; may be shared between threads.
class NoisyMax {
 public:
  enum class Noise {
    kGeometric,        // one-sided, P(z) proportional to exp(-z / scale) for z >= 0
    kDiscreteLaplace,  // two-sided; the only one whose gap may be released
  };

  struct WithGap {
    std::size_t winner = 0;
    // Steps by which the winner's noise could have been smaller without losing. With one
    // candidate there is nothing to lose to and the gap is 0.
    int128 gap = 0;
    bool operator==(const WithGap&) const = default;
  };

  static Result<NoisyMax> create(Noise noise, SelectionPrivacy privacy);

  [[nodiscard]] const Cost& cost() const { return cost_; }

  // Both refuse, before the permit is touched, an empty list; release_with_gap also refuses where
  // the noise is geometric.
  Result<Released<std::size_t>> release(std::span<const std::int64_t> scores, Permit&& permit,
                                        SecureStream& stream) const;
  Result<Released<WithGap>> release_with_gap(std::span<const std::int64_t> scores, Permit&& permit,
                                             SecureStream& stream) const;

 private:
  using Sampler = std::variant<Geometric, DiscreteLaplace>;

  NoisyMax(Sampler sampler, Cost cost);

  [[nodiscard]] WithGap select(std::span<const std::int64_t> scores, SecureStream& stream) const;

  Sampler sampler_;
  Cost cost_;
};

}  // namespace tacit

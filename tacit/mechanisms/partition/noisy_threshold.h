#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "tacit/mechanisms/grid.h"
#include "tacit/mechanisms/partition/partition.h"
#include "tacit/mechanisms/release.h"
#include "tacit/privacy/permit.h"
#include "tacit/random/samplers.h"
#include "tacit/random/secure_stream.h"

namespace tacit {

// Adds integer noise to the count of every group that is present and shows the groups whose noisy
// count is at least a threshold, with that count (Korolova and others 2009). The threshold is such
// that all the groups that one unit has to itself stay hidden, except with probability delta. The
// proof is in proof.md. Immutable; may be shared between threads.
class NoisyThreshold {
 public:
  // Discrete Laplace noise of scale groups_per_unit / epsilon; all of delta is for the threshold.
  static Result<NoisyThreshold> laplace(const PartitionPrivacy& privacy);

  struct GaussianNoise {
    Rational variance;
    // The part of delta that pays for the threshold; what the noise costs comes on top.
    Rational threshold_delta;
    std::uint64_t groups_per_unit = 1;
    Neighbours neighbours = Neighbours::kAddRemove;
  };
  static Result<NoisyThreshold> gaussian(const GaussianNoise& noise);
  // Gaussian noise and the threshold together within epsilon and delta; of delta so much pays for
  // the noise that the threshold is least (proof.md, theorem 4). Noise and threshold are on a grid
  // finer than whole numbers. Refuses a delta too small to pay for the grid.
  static Result<NoisyThreshold> gaussian(const PartitionPrivacy& privacy);

  [[nodiscard]] const Cost& cost() const { return cost_; }
  // The least noisy count that is shown.
  [[nodiscard]] std::int64_t threshold() const { return threshold_; }

  // The groups shown, in the order of their keys. The counts are those of groups that passed, so
  // near the threshold they lean upward; they carry no interval.
  Result<Released<std::vector<NoisyGroup>>> release(std::span<const GroupCount> groups,
                                                    Permit&& permit, SecureStream& stream) const;
  // For a caller that keeps the keys: from the number of units of each group, the indices of the
  // groups to show, ascending. Only the keys may be seen, in an order that the rows do not decide.
  Result<Released<std::vector<NoisyIndex>>> select(std::span<const std::uint64_t> units,
                                                   Permit&& permit, SecureStream& stream) const;

 private:
  using Sampler = std::variant<DiscreteLaplace, DiscreteGaussian>;

  // The noise is in steps of the grid, which is not coarser than whole numbers.
  NoisyThreshold(Sampler sampler, Grid grid, std::int64_t threshold, Cost cost);

  Sampler sampler_;
  Grid grid_;
  std::int64_t threshold_;
  Cost cost_;
};

}  // namespace tacit

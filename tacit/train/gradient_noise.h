#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "tacit/base/error.h"
#include "tacit/base/rational.h"
#include "tacit/mechanisms/grid.h"
#include "tacit/privacy/neighbours.h"
#include "tacit/privacy/permit.h"
#include "tacit/random/discrete_gaussian.h"
#include "tacit/random/secure_stream.h"
#include "tacit/train/clipped_sum.h"
#include "tacit/train/clipping.h"

namespace tacit::train {

class DeviceNoise;

// Discrete Gaussian noise on clipped sums: these are rounded to a dyadic grid, which depends on
// public parameters alone, and get whole steps of noise. One release costs no more than continuous
// Gaussian noise of the stated multiplier (proof.md, theorem 1), on whatever batch a sampler drew.
//
// Immutable after creation; may be shared between threads.
class GradientNoise {
 public:
  // The standard deviation of the noise is `noise_multiplier` times what one example can change, a
  // little above the clipping bound (twice that where an example may be replaced by another).
  // Refuses a multiplier outside [1/16, 512], and more than 2^40 coordinates.
  static Result<GradientNoise> create(const Rational& noise_multiplier, const Clipping& clipping,
                                      std::uint64_t coordinates,
                                      Neighbours neighbours = Neighbours::kAddRemove);
  // Noise at the same cost for sums and the votes beside them, which get noise of multiplier
  // `vote_noise`; sums get more for it (gradient_noise_beside). Refuses a vote noise that is not
  // above the multiplier, or is above 2^16.
  static Result<GradientNoise> with_votes(const Rational& noise_multiplier,
                                          const Rational& vote_noise, const Clipping& clipping,
                                          std::uint64_t coordinates,
                                          Neighbours neighbours = Neighbours::kAddRemove);

  // The cost of one release from all examples.
  [[nodiscard]] const Cost& cost() const { return cost_; }
  // Of one coordinate, in the units of the gradient.
  [[nodiscard]] double standard_deviation() const;

  // The noisy sum, one tensor a parameter, of its type and shape. Consumes the permit, which must
  // be for `cost`: cost() itself, or cost() of a sample of the examples. Refuses a sum with another
  // bound or number of coordinates. A sum that is moved in makes room for the result.
  Result<std::vector<at::Tensor>> release(ClippedSum sum, const Cost& cost, Permit&& permit,
                                          SecureStream& stream) const;

  struct WithVotes {
    std::vector<at::Tensor> sums;
    double votes = 0;  // with noise
  };
  // The same, with the votes of the sum. Refuses noise that was not made with_votes().
  Result<WithVotes> release_with_votes(const ClippedSum& sum, const Cost& cost, Permit&& permit,
                                       SecureStream& stream) const;

 private:
  GradientNoise(Clipping clipping, std::uint64_t coordinates, Grid grid, Rational variance,
                DiscreteGaussian sampler, Cost cost);

  // What adds noise where the sums lie; none on the processor, nor where a device refuses.
  [[nodiscard]] const DeviceNoise* device_noise(const std::vector<at::Tensor>& sums) const;
  [[nodiscard]] Result<void> check(const ClippedSum& sum, const Cost& cost) const;

  Clipping clipping_;
  std::uint64_t coordinates_;
  Grid grid_;
  Rational variance_;  // in steps
  DiscreteGaussian sampler_;
  Cost cost_;
  std::optional<DiscreteGaussian> vote_sampler_;  // in steps
  struct OnDevice;
  std::shared_ptr<OnDevice> on_device_;
};

}  // namespace tacit::train

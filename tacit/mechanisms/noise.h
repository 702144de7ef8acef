#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "tacit/base/error.h"
#include "tacit/base/int128.h"
#include "tacit/base/rational.h"
#include "tacit/mechanisms/gaussian/gaussian.h"
#include "tacit/mechanisms/grid.h"
#include "tacit/mechanisms/laplace/laplace.h"
#include "tacit/mechanisms/release.h"
#include "tacit/mechanisms/sensitivity.h"

namespace tacit {

// What a statistic as a whole is to satisfy, and so which noise it uses.
struct PureTarget {  // Laplace noise
  Rational epsilon;
};
struct ZcdpTarget {  // Gaussian noise
  Rational rho;
};
struct ApproximateTarget {  // Gaussian noise by the analytic formula
  Rational epsilon;
  Rational delta;
};
using NoiseTarget = std::variant<PureTarget, ZcdpTarget, ApproximateTarget>;

// Integer noise for one vector, of either law.
class AdditiveNoise {
 public:
  explicit AdditiveNoise(DiscreteLaplaceMechanism mechanism) : mechanism_(std::move(mechanism)) {}
  explicit AdditiveNoise(DiscreteGaussianMechanism mechanism) : mechanism_(std::move(mechanism)) {}

  [[nodiscard]] const Cost& cost() const;
  // In steps, of one coordinate.
  [[nodiscard]] Result<std::int64_t> half_width(double confidence) const;
  Result<Released<std::vector<int128>>> release(std::span<const int128> totals, Permit&& permit,
                                                SecureStream& stream) const;
  Result<int128> release(int128 total, Permit&& permit, SecureStream& stream) const;

 private:
  std::variant<DiscreteLaplaceMechanism, DiscreteGaussianMechanism> mechanism_;
};

// A target divided among the noisy numbers that one statistic is made of.
class NoiseShare {
 public:
  // One of so many equal parts.
  static Result<NoiseShare> create(const NoiseTarget& target, std::uint64_t parts = 1);
  // A part of the target's epsilon or rho, above 0 and at most 1. The parts that are released
  // together must add up to at most 1.
  static Result<NoiseShare> part(const NoiseTarget& target, const Rational& share);

  // What the noise is scaled to.
  [[nodiscard]] bool uses_l1() const { return law_ == Law::kLaplace; }
  // The grid for answers of this real sensitivity (in the norm above) and magnitudes of a row up to
  // `largest`. Whole numbers are not rounded, unless the sensitivity is beyond 2^30; only under an
  // approximate target they too use a fine grid, as the proof of gaussian/ asks.
  [[nodiscard]] Result<Grid> grid(const Rational& sensitivity, const Rational& largest,
                                  bool whole_numbers) const;
  [[nodiscard]] Result<AdditiveNoise> noise(const Sensitivity& sensitivity) const;
  // Noise whose cost is the same for every sensitivity: what is reserved before the sensitivity is
  // known. A bare epsilon, or a bare Gaussian multiplier.
  [[nodiscard]] Result<AdditiveNoise> bare_noise(Sensitivity sensitivity) const;

 private:
  enum class Law { kLaplace, kGaussian };
  NoiseShare(Law law, Rational budget, std::uint64_t parts,
             std::optional<ApproximateTarget> approximate);

  Law law_;
  Rational budget_;      // of one part: epsilon or rho
  std::uint64_t parts_;  // as large as this one, at most, fit into the target
  std::optional<ApproximateTarget> approximate_;
};

}  // namespace tacit

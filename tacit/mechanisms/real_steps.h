#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tacit/base/error.h"
#include "tacit/base/rational.h"
#include "tacit/mechanisms/clamp.h"
#include "tacit/mechanisms/grid.h"
#include "tacit/mechanisms/release.h"
#include "tacit/mechanisms/sensitivity.h"

namespace tacit {

// A caller's claim about real numbers it computed itself: between neighbours their exact values,
// as doubles, differ by at most `norm` (L1 for Laplace noise, L2 for Gaussian), and none is NaN.
// Rounding errors of the computation must be inside the claim; order of summation has broken such
// claims before (Casacuberta, Shoemate, Vadhan, Wagaman 2022), so sums should use Sum.
struct RealSensitivity {
  Rational norm = 1;
  std::uint64_t coordinates = 1;
  // At most one coordinate moves.
  bool one_coordinate = true;
  Neighbours neighbours = Neighbours::kAddRemove;
};

// Real vectors as integers: the grid, and the sensitivity after rounding to it.
class RealSteps {
 public:
  // The finest grid on which the sensitivity is at most 2^30 steps and noise of `noise_ratio` times
  // the sensitivity at most 2^39.
  static Result<RealSteps> for_l1(const RealSensitivity& claim, const Rational& noise_ratio);
  static Result<RealSteps> for_l2(const RealSensitivity& claim, const Rational& noise_ratio);

  [[nodiscard]] Grid grid() const { return clamp_.grid(); }
  [[nodiscard]] const Sensitivity& sensitivity() const { return sensitivity_; }

  [[nodiscard]] std::vector<std::int64_t> from_reals(std::span<const double> values) const;
  [[nodiscard]] Released<std::vector<double>> to_reals(
      const Released<std::vector<std::int64_t>>& steps) const;

 private:
  RealSteps(Clamp clamp, Sensitivity sensitivity) : clamp_(clamp), sensitivity_(sensitivity) {}

  Clamp clamp_;
  Sensitivity sensitivity_;
};

// The grid for a statistic of this real sensitivity (above 0), as above.
Result<Grid> choose_grid(const Rational& sensitivity, const Rational& noise_ratio);

}  // namespace tacit

#include "tacit/mechanisms/real_steps.h"

#include <algorithm>
#include <cmath>
namespace tacit {
namespace {

constexpr int kSensitivityBits = 30;
// One bit below what the sampler takes: rounding may add to the sensitivity.
constexpr int kNoiseBits = 39;

Result<void> check(const RealSensitivity& claim) {
  if (claim.norm.sign() <= 0) {
    return bad_input("the sensitivity must be above 0", "sensitivity",
                     "give how far one unit can move the value");
  }
  if (claim.coordinates == 0 || claim.coordinates > (std::uint64_t{1} << kSensitivityBits)) {
    return bad_input("the number of coordinates must be between 1 and 2^30", "sensitivity");
  }
  return {};
}

// Everything within 2^62 steps.
Result<Clamp> widest_clamp(Grid grid) {
  const Rational most = Rational(Clamp::kLargestSteps) * grid.step();
  return Clamp::create(-most, most, grid);
}

std::uint64_t moving_coordinates(const RealSensitivity& claim) {
  return claim.one_coordinate ? 1 : claim.coordinates;
}

// The smallest integer whose square is at least n.
std::uint64_t ceil_sqrt(std::uint64_t n) {
  mpz_class root = sqrt(mpz_class(static_cast<unsigned long>(n)));
  if (root * root < static_cast<unsigned long>(n)) ++root;
  return root.get_ui();
}

}  // namespace

Result<Grid> choose_grid(const Rational& sensitivity, const Rational& noise_ratio) {
  TACIT_ASSIGN_OR_RETURN(const Grid fine, Grid::with_at_most(sensitivity, kSensitivityBits));
  TACIT_ASSIGN_OR_RETURN(const Grid noisy,
                         Grid::with_at_most(sensitivity * noise_ratio, kNoiseBits));
  const Grid grid = std::max(fine, noisy);
  if (grid.step() > sensitivity) {
    return bad_input("the noise would be more than 2^40 times the sensitivity", "noise",
                     "ask for a larger epsilon");
  }
  return grid;
}

Result<RealSteps> RealSteps::for_l1(const RealSensitivity& claim, const Rational& noise_ratio) {
  TACIT_RETURN_IF_ERROR(check(claim));
  TACIT_ASSIGN_OR_RETURN(const Grid grid, choose_grid(claim.norm, noise_ratio));
  TACIT_ASSIGN_OR_RETURN(const Clamp clamp, widest_clamp(grid));
  const std::uint64_t moved =
      (claim.norm / grid.step()).floor().get_ui() + moving_coordinates(claim);
  return RealSteps(clamp, Sensitivity{.l1 = moved,
                                      .squared_l2 = moved * moved,
                                      .coordinates = claim.coordinates,
                                      .one_coordinate = claim.one_coordinate,
                                      .neighbours = claim.neighbours});
}

Result<RealSteps> RealSteps::for_l2(const RealSensitivity& claim, const Rational& noise_ratio) {
  TACIT_RETURN_IF_ERROR(check(claim));
  TACIT_ASSIGN_OR_RETURN(const Grid grid, choose_grid(claim.norm, noise_ratio));
  TACIT_ASSIGN_OR_RETURN(const Clamp clamp, widest_clamp(grid));
  const std::uint64_t moved =
      (claim.norm / grid.step()).ceil().get_ui() + ceil_sqrt(moving_coordinates(claim));
  // |v|_1 <= sqrt(c) |v|_2 for a vector of c coordinates.
  return RealSteps(clamp, Sensitivity{.l1 = moved * ceil_sqrt(moving_coordinates(claim)),
                                      .squared_l2 = moved * moved,
                                      .coordinates = claim.coordinates,
                                      .one_coordinate = claim.one_coordinate,
                                      .neighbours = claim.neighbours});
}

std::vector<std::int64_t> RealSteps::from_reals(std::span<const double> values) const {
  std::vector<std::int64_t> steps(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) steps[i] = clamp_(values[i]);
  return steps;
}

Released<std::vector<double>> RealSteps::to_reals(
    const Released<std::vector<std::int64_t>>& steps) const {
  Released<std::vector<double>> reals{std::vector<double>(steps.value.size()), steps.interval};
  for (std::size_t i = 0; i < steps.value.size(); ++i) {
    reals.value[i] = grid().to_real(steps.value[i]);
  }
  reals.interval.half_width =
      grid().to_real_above(static_cast<std::int64_t>(std::ceil(steps.interval.half_width)));
  return reals;
}

}  // namespace tacit

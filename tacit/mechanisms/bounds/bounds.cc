#include "tacit/mechanisms/bounds/bounds.h"

#include <array>
#include <bit>
#include <cstdlib>
#include <utility>

#include "tacit/mechanisms/partition/thresholds.h"

namespace tacit {
namespace {

// Magnitudes of at most 2^62 steps have at most 63 binary digits. Bin kZero holds 0, bin
// kZero + d the positive values of d digits, bin kZero - d the negative ones.
constexpr int kDigits = 63;
constexpr int kZero = kDigits;
constexpr std::size_t kBins = 2 * kDigits + 1;

std::size_t bin_of(std::int64_t steps) {
  const auto magnitude = static_cast<std::uint64_t>(steps < 0 ? -steps : steps);
  const auto digits = static_cast<int>(std::bit_width(magnitude));
  return static_cast<std::size_t>(steps < 0 ? kZero - digits : kZero + digits);
}

// A number of d digits lies between 2^(d-1) and 2^d.
struct Edges {
  double inner;
  double outer;
};
Edges edges(std::size_t bin, const Grid& grid) {
  const int distance = static_cast<int>(bin) - kZero;
  if (distance == 0) return {0, 0};
  const std::int64_t steps = std::int64_t{1} << (std::abs(distance) - 1);
  const double inner = grid.to_real(distance < 0 ? -steps : steps);
  return {inner, 2 * inner};
}

// One row under add/remove moves one bin by one. Otherwise several bins may move, and what is
// known is the L1 norm.
Result<Cost> cost_of(const Sensitivity& sensitivity, const Rational& scale,
                     const Rational& epsilon) {
  if (sensitivity.one_coordinate) {
    return Cost::leaf(cost::DiscreteLaplace{scale, sensitivity.l1}, sensitivity.neighbours);
  }
  return Cost::leaf(cost::Pure{epsilon}, sensitivity.neighbours);
}

}  // namespace

PrivateBounds::PrivateBounds(Clamp clamp, DiscreteLaplace noise, std::int64_t threshold, Cost cost)
    : clamp_(clamp), noise_(std::move(noise)), threshold_(threshold), cost_(std::move(cost)) {}

Rational PrivateBounds::default_false_bin() { return Rational(1) / Rational(1'000'000'000); }

Result<PrivateBounds> PrivateBounds::create(Grid grid, const Rational& epsilon,
                                            Contribution contribution, const Rational& false_bin) {
  if (epsilon.sign() <= 0) {
    return bad_input("must be above 0", "epsilon", "give a number such as 0.1");
  }
  if (false_bin.sign() <= 0 || false_bin >= 1) {
    return bad_input("must lie strictly between 0 and 1", "false bin probability",
                     "give a small number such as 1e-9");
  }
  const Rational limit = grid.step() * Rational(Clamp::kLargestSteps);
  TACIT_ASSIGN_OR_RETURN(const Clamp clamp, Clamp::create(-limit, limit, grid));
  TACIT_ASSIGN_OR_RETURN(const Sensitivity sensitivity, histogram_sensitivity(kBins, contribution));
  const Rational scale = Rational(mpq_class(sensitivity.l1)) / epsilon;
  TACIT_ASSIGN_OR_RETURN(DiscreteLaplace noise, DiscreteLaplace::create(scale));
  TACIT_ASSIGN_OR_RETURN(
      const std::int64_t threshold,
      discrete_laplace_tail_point(scale, false_bin / Rational(static_cast<std::int64_t>(kBins))));
  TACIT_ASSIGN_OR_RETURN(Cost cost, cost_of(sensitivity, scale, epsilon));
  return PrivateBounds(clamp, std::move(noise), threshold, std::move(cost));
}

Result<Released<std::optional<PrivateBounds::Bounds>>> PrivateBounds::release(
    std::span<const double> values, Permit&& permit, SecureStream& stream) const {
  TACIT_RETURN_IF_ERROR(std::move(permit).consume(cost_));
  std::array<std::int64_t, kBins> counts{};
  for (const double value : values) ++counts[bin_of(clamp_(value))];
  std::array<std::int64_t, kBins> noise{};
  noise_.fill(stream, noise);

  std::optional<Bounds> bounds;
  for (std::size_t bin = 0; bin < kBins; ++bin) {
    if (int128{counts[bin]} + noise[bin] < threshold_) continue;
    const auto [inner, outer] = edges(bin, clamp_.grid());
    const bool negative = bin < kZero;
    if (!bounds) bounds = Bounds{.lower = negative ? outer : inner};
    bounds->upper = negative ? inner : outer;
  }
  return Released<std::optional<Bounds>>{bounds, {}};
}

}  // namespace tacit

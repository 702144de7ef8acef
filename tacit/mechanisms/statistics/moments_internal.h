#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "tacit/mechanisms/noise.h"
#include "tacit/mechanisms/statistics/centred_sum.h"
#include "tacit/mechanisms/statistics/column_internal.h"
#include "tacit/mechanisms/statistics/count.h"

// What mean and variance share: sums of offsets from a public centre, divided by a noisy count.
namespace tacit::internal {

// The sensitivity, in real numbers, of offsets from the middle of bounds this far apart.
inline Rational offset_sensitivity(const Rational& width, const Contribution& contribution) {
  const Rational rows = from_word(contribution.rows);
  return contribution.neighbours == Neighbours::kAddRemove ? rows * width / Rational(2)
                                                           : rows * width;
}

// Replace neighbours of fixed rows know how many rows there are.
inline bool count_is_public(const Contribution& contribution) {
  return contribution.neighbours == Neighbours::kReplace && contribution.fixed_rows;
}

// A released number and how far the noise may have moved it.
struct NoisyNumber {
  double value = 0;
  double half_width = 0;
};

inline Result<NoisyNumber> measured(const CentredSum& sum, int128 noisy, double confidence) {
  TACIT_ASSIGN_OR_RETURN(const std::int64_t steps, sum.noise.half_width(confidence));
  return NoisyNumber{sum.grid.to_real(noisy), sum.grid.to_real_above(steps)};
}

// A number computed from released ones, and the range that their noise leaves open.
struct Estimate {
  double value = 0;
  double low = 0;
  double high = 0;

  [[nodiscard]] Estimate shifted(double by) const { return {value + by, low + by, high + by}; }
  // The nearest values within bounds known to hold the truth.
  [[nodiscard]] Estimate within(double lower, double upper) const {
    return {std::clamp(value, lower, upper), std::clamp(low, lower, upper),
            std::clamp(high, lower, upper)};
  }
  [[nodiscard]] Released<double> released(double confidence, IntervalKind kind) const {
    return {value, {std::max(value - low, high - value), confidence, kind}};
  }
};

// sum / count with at least one row. For a fixed sum the quotient is monotone in the count, so its
// extremes are at the corners.
inline Estimate quotient(const NoisyNumber& sum, const NoisyNumber& count) {
  const double fewest = std::max(count.value - count.half_width, 1.0);
  const double most = std::max(count.value + count.half_width, 1.0);
  const double least_sum = sum.value - sum.half_width;
  const double most_sum = sum.value + sum.half_width;
  return {sum.value / std::max(count.value, 1.0), std::min(least_sum / fewest, least_sum / most),
          std::max(most_sum / fewest, most_sum / most)};
}

// The confidence that each of `parts` noisy numbers needs, so that all hold with `confidence` by
// the union bound.
inline double for_each_of(std::size_t parts, double confidence) {
  return 1 - (1 - confidence) / static_cast<double>(parts);
}

// The noisy count, paid for by the last permit; or the public one.
inline Result<std::int64_t> counted(const std::optional<Count>& count, std::uint64_t rows,
                                    std::vector<Permit>& permits, SecureStream& stream) {
  if (!count) return saturate(int128{rows});
  TACIT_ASSIGN_OR_RETURN(const auto released,
                         count->release(rows, std::move(permits.back()), stream));
  return released.value;
}

// How far the noise may have moved the count; not at all where it is public.
inline Result<double> count_half_width(const std::optional<Count>& count, double confidence) {
  if (!count) return 0;
  return count->half_width(confidence);
}

inline Result<Cost> composed(std::vector<Cost> parts) {
  if (parts.size() == 1) return parts.front();
  return Cost::compose(std::move(parts));
}

// The permits of the parts of `whole`, which is what composed() made of them. Nothing of the permit
// is left over.
inline Result<std::vector<Permit>> divide(Permit&& permit, const Cost& whole,
                                          const std::vector<Cost>& parts) {
  std::vector<Permit> permits;
  if (parts.size() == 1) {
    permits.push_back(std::move(permit));
    return permits;
  }
  TACIT_RETURN_IF_ERROR(check_permit(permit, whole));
  Permit held = std::move(permit);
  for (const Cost& part : parts) {
    TACIT_ASSIGN_OR_RETURN(Permit taken, held.take(part));
    permits.push_back(std::move(taken));
  }
  return permits;
}

}  // namespace tacit::internal

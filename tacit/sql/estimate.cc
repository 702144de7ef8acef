#include <algorithm>
#include <cmath>

#include "tacit/sql/estimate_internal.h"

namespace tacit::sql {
namespace {

struct Range {
  double low;
  double high;
};

// sum / count over all values that the half-widths allow, with at least one in the count. For a
// fixed sum the quotient is monotone in the count, so its extremes are at the corners.
Range quotient_range(const Noisy& sum, double fewest, double most) {
  const double least = sum.value - sum.half_width;
  const double greatest = sum.value + sum.half_width;
  return {std::min(least / fewest, least / most), std::max(greatest / fewest, greatest / most)};
}

Noisy within(double value, Range range, double lower, double upper) {
  const double inside = std::clamp(value, lower, upper);
  const double low = std::clamp(range.low, lower, upper);
  const double high = std::clamp(range.high, lower, upper);
  return {inside, std::max(inside - low, high - inside)};
}

}  // namespace

Noisy mean_of(const Noisy& offsets, const Noisy& count, double centre, double lower, double upper) {
  const double fewest = std::max(count.value - count.half_width, 1.0);
  const double most = std::max(count.value + count.half_width, 1.0);
  const Range range = quotient_range(offsets, fewest, most);
  const double mean = offsets.value / std::max(count.value, 1.0);
  return within(centre + mean, {centre + range.low, centre + range.high}, lower, upper);
}

Noisy variance_of(const Noisy& squares, const Noisy& offsets, const Noisy& count, double width,
                  double freedom) {
  const double fewest = std::max(count.value - count.half_width, 1.0);
  const double most = std::max(count.value + count.half_width, 1.0);
  const double n = std::max(count.value, 1.0);
  const Range square_range = quotient_range(squares, fewest, most);
  const Range mean_range = quotient_range(offsets, fewest, most);
  const double mean = offsets.value / n;
  const double largest_mean = std::max(std::fabs(mean_range.low), std::fabs(mean_range.high));
  const bool spans_zero = mean_range.low <= 0 && mean_range.high >= 0;
  const double least_mean =
      spans_zero ? 0 : std::min(std::fabs(mean_range.low), std::fabs(mean_range.high));
  // n - freedom below, never less than one.
  const auto widened = [&](double variance, double rows) {
    return variance * rows / std::max(rows - freedom, 1.0);
  };
  const double value = widened(squares.value / n - mean * mean, n);
  const double low = widened(square_range.low - largest_mean * largest_mean, most);
  const double high = widened(square_range.high - least_mean * least_mean, fewest);
  // Popoviciu: a variance is at most a quarter of the squared width; twice that with n - 1 below.
  const double most_variance = width * width / (freedom > 0 ? 2 : 4);
  return within(value, {low, high}, 0, most_variance);
}

Noisy deviation_of(const Noisy& variance) {
  const double value = std::sqrt(std::max(variance.value, 0.0));
  const double low = std::sqrt(std::max(variance.value - variance.half_width, 0.0));
  const double high = std::sqrt(std::max(variance.value + variance.half_width, 0.0));
  return {value, std::max(value - low, high - value)};
}

}  // namespace tacit::sql

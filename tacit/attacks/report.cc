#include "tacit/attacks/report.h"

#include <algorithm>
#include <cmath>

namespace tacit::attacks {

Share share_of(std::uint64_t successes, std::uint64_t trials) {
  if (trials == 0) return {};
  constexpr double kQuantile = 1.959963984540054;  // of the normal law, at 0.975
  const auto n = static_cast<double>(trials);
  const double share = static_cast<double>(successes) / n;
  const double weight = kQuantile * kQuantile / n;
  const double centre = (share + (weight / 2)) / (1 + weight);
  const double half_width =
      kQuantile * std::sqrt((share * (1 - share) / n) + (weight / (4 * n))) / (1 + weight);
  // At the ends the two terms are equal, and rounding must not show.
  return {share, successes == 0 ? 0 : std::max(0.0, centre - half_width),
          successes == trials ? 1 : std::min(1.0, centre + half_width)};
}

}  // namespace tacit::attacks

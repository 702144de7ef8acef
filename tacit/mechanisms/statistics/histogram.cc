#include "tacit/mechanisms/statistics/histogram.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tacit {

Result<Histogram> Histogram::create(std::uint64_t bins, const Contribution& contribution,
                                    const NoiseTarget& target) {
  TACIT_ASSIGN_OR_RETURN(const Sensitivity sensitivity, histogram_sensitivity(bins, contribution));
  TACIT_ASSIGN_OR_RETURN(WholeTotals totals, WholeTotals::create(sensitivity, target));
  return Histogram(std::move(totals));
}

Result<BinEdges> BinEdges::create(std::vector<double> edges) {
  const auto not_below = [](double a, double b) { return !(a < b); };
  if (edges.size() < 2 || std::isnan(edges.front()) ||
      std::adjacent_find(edges.begin(), edges.end(), not_below) != edges.end()) {
    return bad_input("bins need two edges or more, each above the one before", "bins",
                     "give edges such as 0, 10, 20");
  }
  return BinEdges(std::move(edges));
}

std::vector<std::uint64_t> BinEdges::count(std::span<const double> values) const {
  std::vector<std::uint64_t> counts(bins(), 0);
  for (const double value : values) {
    if (!(value >= edges_.front() && value <= edges_.back())) continue;
    const auto above = std::upper_bound(edges_.begin(), edges_.end() - 1, value);
    ++counts[static_cast<std::size_t>(above - edges_.begin()) - 1];
  }
  return counts;
}

}  // namespace tacit

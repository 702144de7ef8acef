#include "tacit/anonymize/criteria/beta_likeness.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "tacit/anonymize/criteria/reference_internal.h"
#include "tacit/anonymize/criteria/share_bounds_internal.h"

namespace tacit::anonymize {

std::unique_ptr<Criterion> basic_likeness(const Records& records, std::size_t column, double beta) {
  std::vector<ShareBounds> bounds;
  for (const double share : reference(records, column)) {
    bounds.push_back({.least = 0, .most = std::min((1 + beta) * share, 1.0)});
  }
  return std::make_unique<ShareCriterion>(column, std::move(bounds));
}

std::unique_ptr<Criterion> enhanced_likeness(const Records& records, std::size_t column,
                                             double beta) {
  std::vector<ShareBounds> bounds;
  for (const double share : reference(records, column)) {
    const double gain = share > 0 ? std::min(beta, -std::log(share)) : beta;
    bounds.push_back({.least = 0, .most = std::min((1 + gain) * share, 1.0)});
  }
  return std::make_unique<ShareCriterion>(column, std::move(bounds));
}

}  // namespace tacit::anonymize

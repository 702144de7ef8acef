#include "tacit/anonymize/criteria/delta_disclosure.h"

#include <cmath>
#include <utility>
#include <vector>

#include "tacit/anonymize/criteria/reference_internal.h"
#include "tacit/anonymize/criteria/share_bounds_internal.h"

namespace tacit::anonymize {

// The bounds themselves are not allowed: they are drawn in by twice the rounding that is forgiven.
std::unique_ptr<Criterion> delta_disclosure(const Records& records, std::size_t column,
                                            double delta) {
  std::vector<ShareBounds> bounds;
  for (const double share : reference(records, column)) {
    if (share == 0) {
      bounds.push_back({.least = 0, .most = 0});
    } else {
      bounds.push_back({.least = (share * std::exp2(-delta)) + (2 * kShareRounding),
                        .most = (share * std::exp2(delta)) - (2 * kShareRounding)});
    }
  }
  return std::make_unique<ShareCriterion>(column, std::move(bounds));
}

}  // namespace tacit::anonymize

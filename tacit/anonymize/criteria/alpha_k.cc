#include "tacit/anonymize/criteria/alpha_k.h"

#include <utility>
#include <vector>

#include "tacit/anonymize/criteria/share_bounds_internal.h"

namespace tacit::anonymize {

std::unique_ptr<Criterion> alpha_deassociation(const Records& records, std::size_t column,
                                               double alpha, std::optional<std::uint32_t> value) {
  const std::size_t values = records.sensitive[column].totals().size();
  std::vector<ShareBounds> bounds(values);
  for (std::size_t i = 0; i < values; ++i) {
    if (value.value_or(i) == i) bounds[i].most = alpha;
  }
  return std::make_unique<ShareCriterion>(column, std::move(bounds));
}

}  // namespace tacit::anonymize

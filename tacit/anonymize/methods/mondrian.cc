#include "tacit/anonymize/methods/mondrian.h"

#include <utility>
#include <vector>

#include "tacit/anonymize/methods/dissection_internal.h"

namespace tacit::anonymize {

std::optional<Partition> mondrian(const Records& records, std::span<const Axis> axes,
                                  const Criteria& criteria, Cuts cuts) {
  Dissection::Part all;
  for (std::uint32_t i = 0; i < records.size(); ++i) all.push_back({i, records.counts[i]});
  std::vector<Dissection::Part> whole;
  whole.push_back(std::move(all));
  return Dissection(records, axes, criteria, cuts).dissect(whole);
}

}  // namespace tacit::anonymize

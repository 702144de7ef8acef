#include "tacit/anonymize/methods/local_recoding.h"

#include <string>
#include <utility>

#include "tacit/anonymize/classes.h"
#include "tacit/anonymize/methods/dissection_internal.h"

namespace tacit::anonymize {
namespace {

// The same leaves, and nothing above them but a missing cell.
Hierarchy value_or_nothing(const Hierarchy& hierarchy) {
  std::vector<std::vector<std::string>> rows;
  for (std::uint32_t leaf = 0; leaf < hierarchy.leaves(); ++leaf) {
    rows.push_back({hierarchy.label(0, leaf), "*"});
  }
  // Leaves of a hierarchy are different, so that this cannot fail.
  return Hierarchy::create(rows, {}).value();
}

}  // namespace

std::optional<Partition> recode_locally(const Records& records,
                                        std::span<const Hierarchy> hierarchies,
                                        const Criteria& criteria, const Node& node,
                                        const std::vector<bool>& is_kept) {
  Grouper grouper(records, hierarchies);
  const Classes at_node = grouper.coarsen(grouper.finest(), node);
  std::vector<Dissection::Part> classes(at_node.size());
  for (std::uint32_t i = 0; i < records.size(); ++i) {
    if (is_kept[i]) classes[grouper.class_of()[i]].push_back({i, records.counts[i]});
  }
  std::erase_if(classes, [](const Dissection::Part& part) { return part.empty(); });
  const std::vector<Axis> axes = tree_axes(records, hierarchies);
  return Dissection(records, axes, criteria, Cuts::kRelaxed).dissect(classes);
}

std::optional<Partition> suppress_cells(const Records& records,
                                        std::span<const Hierarchy> hierarchies,
                                        const Criteria& criteria) {
  std::vector<Hierarchy> shown;
  for (const Hierarchy& hierarchy : hierarchies) shown.push_back(value_or_nothing(hierarchy));
  const std::vector<Axis> axes = tree_axes(records, shown);
  return mondrian(records, axes, criteria, Cuts::kRelaxed);
}

}  // namespace tacit::anonymize

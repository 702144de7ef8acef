#include "tacit/anonymize/methods/method.h"

#include <algorithm>

#include "tacit/anonymize/methods/local_recoding.h"
#include "tacit/anonymize/methods/mondrian.h"

namespace tacit::anonymize {
namespace {

// All values of a date have one length, so that the alphabet is their order.
std::vector<std::uint32_t> dates_in_order(const Hierarchy& hierarchy) {
  std::vector<std::uint32_t> out;
  for (std::uint32_t leaf = 0; leaf < hierarchy.leaves(); ++leaf) out.push_back(leaf);
  std::ranges::sort(out, {}, [&](std::uint32_t leaf) { return hierarchy.label(0, leaf); });
  return out;
}

std::vector<std::uint32_t> leaves_of(const Hierarchy& hierarchy,
                                     const std::vector<std::string>& values) {
  std::vector<std::uint32_t> out;
  for (const std::string& value : values) {
    if (const auto leaf = hierarchy.find(value)) out.push_back(*leaf);
  }
  return out;
}

Axis mondrian_axis(const Microdata& data, std::size_t column) {
  const Records& records = data.records;
  const Hierarchy& hierarchy = data.hierarchies[column];
  const HierarchyRule& rule = data.quasi_identifiers[column].hierarchy;
  if (std::holds_alternative<rule::Taxonomy>(rule) || std::holds_alternative<rule::Mask>(rule) ||
      std::holds_alternative<rule::Prefix>(rule)) {
    return Axis::tree(records, hierarchy, column);
  }
  if (std::holds_alternative<rule::DateParts>(rule)) {
    return Axis::ordered(records, hierarchy, column, dates_in_order(hierarchy));
  }
  if (const auto* const order = std::get_if<rule::Order>(&rule);
      order != nullptr && !order->values.empty()) {
    return Axis::ordered(records, hierarchy, column, leaves_of(hierarchy, order->values));
  }
  return Axis::sorted(records, hierarchy, column);
}

}  // namespace

std::vector<Axis> mondrian_axes(const Microdata& data) {
  std::vector<Axis> out;
  for (std::size_t i = 0; i < data.hierarchies.size(); ++i) out.push_back(mondrian_axis(data, i));
  return out;
}

std::optional<Partition> partition_by(const MethodRule& method, const Microdata& data,
                                      const Criteria& criteria,
                                      const MicroaggregationWatch& watch) {
  if (const auto* const rule = std::get_if<rule::Mondrian>(&method)) {
    const std::vector<Axis> axes = mondrian_axes(data);
    return mondrian(data.records, axes, criteria, rule->relaxed ? Cuts::kRelaxed : Cuts::kStrict);
  }
  if (std::holds_alternative<rule::CellSuppression>(method)) {
    return suppress_cells(data.records, data.hierarchies, criteria);
  }
  if (const auto* const rule = std::get_if<rule::Microaggregation>(&method)) {
    return microaggregate(data.records, data.hierarchies, criteria,
                          rule->median ? Center::kMedian : Center::kMean, watch);
  }
  return std::nullopt;
}

}  // namespace tacit::anonymize

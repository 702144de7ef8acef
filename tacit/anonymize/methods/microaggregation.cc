#include "tacit/anonymize/methods/microaggregation.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "tacit/anonymize/methods/mixed_columns_internal.h"
#include "tacit/anonymize/methods/tally_internal.h"

namespace tacit::anonymize {
namespace {

using Group = std::vector<RecordRows>;

std::uint64_t rows_of(const Group& group) {
  std::uint64_t out = 0;
  for (const RecordRows& each : group) out += each.rows;
  return out;
}

// Deals the records out to groups.
class Dealer {
 public:
  Dealer(const Records& records, const MixedColumns& space, const Criteria& criteria)
      : space_(space), criteria_(criteria), tally_(records) {
    for (std::uint32_t i = 0; i < records.size(); ++i) left_.push_back({i, records.counts[i]});
    for (const auto& each : criteria.classes) least_ = std::max(least_, each->least_rows());
  }

  // Two groups at opposite ends of what is left, as long as there are rows for three. What is left
  // at last is a group, with the last ones that were made as long as it must. Empty where not even
  // all together are one.
  [[nodiscard]] std::vector<Group> groups() {
    std::vector<Group> out;
    while (rows_of(left_) >= 3 * least_) {
      const std::uint32_t end = farthest_from(space_.average(left_));
      const std::uint32_t other = farthest_from(space_.point(end));
      out.push_back(take_around(end));
      const bool is_left = std::ranges::find(left_, other, &RecordRows::record) != left_.end();
      if (is_left && rows_of(left_) >= 2 * least_) out.push_back(take_around(other));
    }
    if (rows_of(left_) >= 2 * least_) {
      out.push_back(take_around(farthest_from(space_.average(left_))));
    }
    while (!left_.empty() && !holds(left_) && !out.empty()) {
      left_.insert(left_.end(), out.back().begin(), out.back().end());
      out.pop_back();
    }
    if (left_.empty()) return out;
    if (!holds(left_)) return {};
    out.push_back(std::move(left_));
    return out;
  }

 private:
  template <class Point>
  [[nodiscard]] std::uint32_t farthest_from(const Point& from) const {
    return std::ranges::max_element(left_, {},
                                    [&](const RecordRows& each) {
                                      return space_.distance(space_.point(each.record), from);
                                    })
        ->record;
  }

  // The nearest records until they satisfy the criteria; all that are left where they never do.
  Group take_around(std::uint32_t record) {
    std::vector<std::pair<double, std::uint32_t>> order;  // distance, place in left_
    for (std::uint32_t i = 0; i < left_.size(); ++i) {
      order.emplace_back(space_.distance(space_.point(left_[i].record), space_.point(record)), i);
    }
    Group out;
    std::size_t sorted = 0;
    std::uint64_t rows = 0;
    for (std::size_t i = 0; i < order.size() && (rows < least_ || !holds(out)); ++i) {
      if (i == sorted) {
        sorted = std::min(order.size(), (2 * sorted) + least_);
        std::ranges::partial_sort(order.begin() + static_cast<std::ptrdiff_t>(i),
                                  order.begin() + static_cast<std::ptrdiff_t>(sorted), order.end());
      }
      out.push_back(left_[order[i].second]);
      rows += out.back().rows;
    }
    std::vector<std::uint32_t> taken;
    for (std::size_t i = 0; i < out.size(); ++i) taken.push_back(order[i].second);
    std::ranges::sort(taken, std::greater{});
    for (const std::uint32_t place : taken) {
      left_[place] = left_.back();
      left_.pop_back();
    }
    return out;
  }

  [[nodiscard]] bool holds(const Group& group) {
    const ClassView view = tally_.view(group);
    return std::ranges::all_of(criteria_.classes,
                               [&](const auto& each) { return each->holds(view); });
  }

  const MixedColumns& space_;
  const Criteria& criteria_;
  Tally tally_;
  Group left_;
  std::uint64_t least_ = 1;
};

bool holds_together(const Partition& partition, const Records& records, const Criteria& criteria) {
  if (criteria.table.empty()) return true;
  const Classes classes = partition.classes(records);
  const std::vector<std::uint8_t> all(classes.size(), 1);
  return std::ranges::all_of(criteria.table,
                             [&](const auto& each) { return each->holds(classes, all); });
}

}  // namespace

std::optional<Partition> microaggregate(const Records& records,
                                        std::span<const Hierarchy> hierarchies,
                                        const Criteria& criteria, Center center) {
  const MixedColumns space(records, hierarchies);
  PartitionBuilder builder(hierarchies.size());
  std::vector<Group> groups = Dealer(records, space, criteria).groups();
  if (groups.empty()) return std::nullopt;
  for (const Group& group : groups) {
    std::vector<std::uint32_t> cells;
    std::vector<double> widths;
    for (std::size_t c = 0; c < hierarchies.size(); ++c) {
      cells.push_back(builder.label(c, space.center(group, c, center)));
      widths.push_back(space.width(group, c));
    }
    builder.add(group, cells, widths);
  }
  Partition out = std::move(builder).build();
  out.shows_values = true;
  if (!holds_together(out, records, criteria)) return std::nullopt;
  return out;
}

}  // namespace tacit::anonymize

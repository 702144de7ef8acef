#include "tacit/anonymize/methods/microaggregation.h"

#include <algorithm>
#include <compare>
#include <functional>
#include <utility>
#include <vector>

#include "tacit/anonymize/methods/mixed_columns_internal.h"
#include "tacit/anonymize/methods/remaining_records_internal.h"
#include "tacit/anonymize/methods/tally_internal.h"

namespace tacit::anonymize {
namespace {

using Group = std::vector<RecordRows>;

struct Near {
  double distance = 0;
  std::uint32_t place = 0;  // among the records that remain
  auto operator<=>(const Near&) const = default;
};

std::uint32_t farthest(std::span<const double> distances) {
  return static_cast<std::uint32_t>(std::ranges::max_element(distances) - distances.begin());
}

// The nearest ones, so many, in their order; of those as far, the first. A heap keeps them, whose
// greatest a record seldom undercuts.
std::vector<Near> nearest(std::span<const double> distances, std::size_t most) {
  std::vector<Near> out;
  for (std::uint32_t i = 0; i < distances.size(); ++i) {
    if (out.size() < most) {
      out.push_back({distances[i], i});
      std::ranges::push_heap(out);
    } else if (distances[i] < out.front().distance) {
      std::ranges::pop_heap(out);
      out.back() = {distances[i], i};
      std::ranges::push_heap(out);
    }
  }
  std::ranges::sort_heap(out);
  return out;
}

// Deals the records out to groups.
class Dealer {
 public:
  Dealer(const Records& records, const MixedColumns& space, const Criteria& criteria,
         const MicroaggregationWatch& watch)
      : space_(space),
        criteria_(criteria),
        watch_(watch),
        tally_(records),
        left_(records, space),
        all_(records.size()) {
    for (const auto& each : criteria.classes) least_ = std::max(least_, each->least_rows());
  }

  // Two groups at opposite ends of what is left, as long as there are rows for three. What is left
  // at last is a group, with the last ones that were made as long as it must. Empty where not even
  // all together are one, and where it was ended.
  [[nodiscard]] std::vector<Group> groups() {
    std::vector<Group> out;
    while (left_.rows() >= 3 * least_) {
      if (!goes_on()) return {};
      const auto from_end = left_.distances(space_.point(end()));
      const std::uint32_t other = record_at(farthest(from_end));
      out.push_back(take_nearest(from_end));
      const bool is_left =
          std::ranges::find(out.back(), other, &RecordRows::record) == out.back().end();
      if (is_left && left_.rows() >= 2 * least_) {
        out.push_back(take_nearest(left_.distances(space_.point(other))));
      }
    }
    if (left_.rows() >= 2 * least_) {
      out.push_back(take_nearest(left_.distances(space_.point(end()))));
    }
    Group rest(left_.records().begin(), left_.records().end());
    while (!rest.empty() && !holds(rest) && !out.empty()) {
      rest.insert(rest.end(), out.back().begin(), out.back().end());
      out.pop_back();
    }
    if (rest.empty()) return out;
    if (!holds(rest)) return {};
    out.push_back(std::move(rest));
    return out;
  }

 private:
  // Pairs of records that need no comparison any more, of all.
  [[nodiscard]] bool goes_on() const {
    return !watch_ || watch_((all_ * all_) - (left_.size() * left_.size()), all_ * all_);
  }
  [[nodiscard]] std::uint32_t record_at(std::uint32_t place) const {
    return left_.records()[place].record;
  }
  // The record farthest from the average.
  [[nodiscard]] std::uint32_t end() {
    return record_at(farthest(left_.distances(left_.average())));
  }

  // The nearest records until they satisfy the criteria; all that are left where they never do.
  Group take_nearest(std::span<const double> distances) {
    Group out;
    std::vector<Near> order;
    std::uint64_t rows = 0;
    while (out.size() < left_.size() && (rows < least_ || !holds(out))) {
      if (out.size() == order.size()) order = nearest(distances, (2 * order.size()) + least_);
      out.push_back(left_.records()[order[out.size()].place]);
      rows += out.back().rows;
    }
    std::vector<std::uint32_t> taken;
    for (const Near& each : std::span(order).first(out.size())) taken.push_back(each.place);
    std::ranges::sort(taken, std::greater{});
    left_.remove(taken);
    return out;
  }

  [[nodiscard]] bool holds(const Group& group) {
    const ClassView view = tally_.view(group);
    return std::ranges::all_of(criteria_.classes,
                               [&](const auto& each) { return each->holds(view); });
  }

  const MixedColumns& space_;
  const Criteria& criteria_;
  const MicroaggregationWatch& watch_;
  Tally tally_;
  RemainingRecords left_;
  std::uint64_t all_ = 0;  // records
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
                                        const Criteria& criteria, Center center,
                                        const MicroaggregationWatch& watch) {
  const MixedColumns space(records, hierarchies);
  PartitionBuilder builder(hierarchies.size());
  std::vector<Group> groups = Dealer(records, space, criteria, watch).groups();
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

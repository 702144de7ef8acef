#include <algorithm>
#include <limits>
#include <utility>

#include "tacit/anonymize/methods/dissection_internal.h"

namespace tacit::anonymize {
namespace {

constexpr std::uint32_t kNone = UINT32_MAX;
// Ranks for each member up to which rows are counted rank by rank, and not sorted.
constexpr std::size_t kCountedRanks = 8;

std::uint64_t rows_of(const Dissection::Part& part) {
  std::uint64_t out = 0;
  for (const RecordRows& each : part) out += each.rows;
  return out;
}

}  // namespace

Dissection::Dissection(const Records& records, std::span<const Axis> axes, const Criteria& criteria,
                       Cuts cuts)
    : records_(records),
      axes_(axes),
      criteria_(criteria),
      cuts_(cuts),
      ranks_(records.size() * axes.size()),
      tally_(records),
      labels_(axes.size()) {
  for (const auto& each : criteria.classes) {
    least_rows_ = std::max(least_rows_, each->least_rows());
    if (!each->is_size_alone()) others_.push_back(each.get());
  }
  const bool are_sizes_all = std::ranges::none_of(
      criteria.table, [](const auto& each) { return each->needs_histograms(); });
  deals_out_rows_ = cuts == Cuts::kRelaxed && others_.empty() && are_sizes_all;
  for (std::size_t i = 0; i < records.size(); ++i) {
    for (std::size_t a = 0; a < axes.size(); ++a) {
      ranks_[(i * axes.size()) + a] = axes[a].rank(records.record(i)[a]);
    }
  }
}

std::optional<Partition> Dissection::dissect(const std::vector<Part>& classes) {
  if (!std::ranges::all_of(classes, [&](const Part& part) { return holds(part); })) return {};
  while (true) {
    Partition out = cut(classes);
    if (holds_together(out)) return out;
    // Nothing was cut: the classes themselves break it together.
    if (out.size() <= classes.size()) return {};
    least_rows_ *= 2;
  }
}

bool Dissection::holds_together(const Partition& partition) const {
  if (criteria_.table.empty()) return true;
  const Classes classes = partition.classes(records_);
  const std::vector<std::uint8_t> all(classes.size(), 1);
  return std::ranges::all_of(criteria_.table,
                             [&](const auto& each) { return each->holds(classes, all); });
}

// A class that is not cut is done.
Partition Dissection::cut(std::vector<Part> classes) {
  PartitionBuilder out(axes_.size());
  for (auto& labels : labels_) labels.clear();
  while (!classes.empty()) {
    const Part part = std::move(classes.back());
    classes.pop_back();
    std::vector<Part> pieces = cut_once(part);
    if (pieces.empty()) finish(part, out);
    std::ranges::move(pieces, std::back_inserter(classes));
  }
  return std::move(out).build();
}

std::vector<Dissection::Part> Dissection::cut_once(const Part& part) {
  if (rows_of(part) < 2 * least_rows_) return {};
  const std::vector<Extent> extents = extents_of(part);
  const std::vector<std::size_t> order = widest_first(extents);
  std::vector<Part> out =
      cuts_ == Cuts::kStrict ? cut_widest(part, order) : cut_best(part, order, extents);
  if (!out.empty() || !deals_out_rows_) return out;
  // Halves that overlap show little more than the whole did: only where nothing else is left.
  const auto in_order = [&](std::size_t axis) { return !axes_[axis].is_tree(); };
  const auto widest = std::ranges::find_if(order, in_order);
  return widest == order.end() ? std::vector<Part>{} : deal_out(part, *widest);
}

std::vector<Dissection::Part> Dissection::cut_widest(const Part& part,
                                                     const std::vector<std::size_t>& order) {
  for (const std::size_t axis : order) {
    std::vector<Part> pieces = cut_along(part, axis);
    if (!pieces.empty()) return pieces;
  }
  return {};
}

// The cut after which the cells of the axis show most more than before.
std::vector<Dissection::Part> Dissection::cut_best(const Part& part,
                                                   const std::vector<std::size_t>& order,
                                                   const std::vector<Extent>& extents) {
  std::vector<Part> out;
  double most = 0;
  for (const std::size_t axis : order) {
    std::vector<Part> pieces = cut_along(part, axis);
    const double before = axes_[axis].width(extents[axis].low, extents[axis].high);
    double gain = 0;
    for (const Part& piece : pieces) {
      const auto [low, high] = extent_of(piece, axis);
      gain += static_cast<double>(rows_of(piece)) * (before - axes_[axis].width(low, high));
    }
    if (gain <= most) continue;
    most = gain;
    out = std::move(pieces);
  }
  return out;
}

std::vector<Dissection::Part> Dissection::cut_along(const Part& part, std::size_t axis) {
  return axes_[axis].is_tree() ? cut_along_tree(part, axis) : cut_at_median(part, axis);
}

Dissection::Extent Dissection::extent_of(const Part& part, std::size_t axis) const {
  Extent out{.low = kNone, .high = 0};
  for (const RecordRows& each : part) {
    out.low = std::min(out.low, rank(each, axis));
    out.high = std::max(out.high, rank(each, axis));
  }
  return out;
}

std::vector<Dissection::Extent> Dissection::extents_of(const Part& part) const {
  std::vector<Extent> out(axes_.size(), {.low = kNone, .high = 0});
  for (const RecordRows& each : part) {
    const std::uint32_t* const ranks = ranks_.data() + (each.record * axes_.size());
    for (std::size_t a = 0; a < out.size(); ++a) {
      out[a].low = std::min(out[a].low, ranks[a]);
      out[a].high = std::max(out[a].high, ranks[a]);
    }
  }
  return out;
}

// Axes along which it is but one value are left out.
std::vector<std::size_t> Dissection::widest_first(const std::vector<Extent>& extents) const {
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t a = 0; a < extents.size(); ++a) {
    if (extents[a].low == extents[a].high) continue;
    order.emplace_back(-axes_[a].width(extents[a].low, extents[a].high), a);
  }
  std::ranges::sort(order);
  std::vector<std::size_t> out;
  for (const auto& [width, axis] : order) out.push_back(axis);
  return out;
}

Dissection::Median Dissection::median_of(const Part& part, std::size_t axis) {
  const auto [low, high] = extent_of(part, axis);
  Median out{.all = rows_of(part)};
  const auto pass = [&out](std::uint32_t at, std::uint64_t rows) {
    if (rows == 0 || 2 * out.up_to >= out.all) return;
    out.below = std::exchange(out.up_to, out.up_to + rows);
    out.rank = at;
  };
  if (high - low <= kCountedRanks * part.size()) {
    rows_at_.assign(high - low + std::size_t{1}, 0);
    for (const RecordRows& each : part) rows_at_[rank(each, axis) - low] += each.rows;
    for (std::uint32_t i = 0; i < rows_at_.size(); ++i) pass(low + i, rows_at_[i]);
    return out;
  }
  std::vector<std::pair<std::uint32_t, std::uint64_t>> sorted;
  for (const RecordRows& each : part) sorted.emplace_back(rank(each, axis), each.rows);
  std::ranges::sort(sorted);
  for (std::size_t i = 0, end = 0; i < sorted.size(); i = end) {
    std::uint64_t rows = 0;
    for (; end < sorted.size() && sorted[end].first == sorted[i].first; ++end) {
      rows += sorted[end].second;
    }
    pass(sorted[i].first, rows);
  }
  return out;
}

// Just before the median or just after it, whichever leaves more equal halves; else the other. Any
// other place leaves a smaller half still.
std::vector<Dissection::Part> Dissection::cut_at_median(const Part& part, std::size_t axis) {
  const Median median = median_of(part, axis);
  struct Place {
    std::uint64_t smaller_half;
    std::uint32_t last;
  };
  const auto smaller_half = [&](std::uint64_t left) { return std::min(left, median.all - left); };
  std::vector<Place> places;
  if (median.below > 0) places.push_back({smaller_half(median.below), median.rank - 1});
  places.push_back({smaller_half(median.up_to), median.rank});
  std::ranges::sort(places, std::ranges::greater{}, &Place::smaller_half);
  for (const Place& place : places) {
    if (place.smaller_half < least_rows_) return {};
    std::vector<Part> halves = cut_after(part, axis, place.last);
    if (others_.empty() || (holds(halves[0]) && holds(halves[1]))) return halves;
  }
  return {};
}

std::vector<Dissection::Part> Dissection::cut_after(const Part& part, std::size_t axis,
                                                    std::uint32_t last) const {
  std::vector<Part> out(2);
  for (const RecordRows& each : part) out[rank(each, axis) <= last ? 0 : 1].push_back(each);
  return out;
}

// Half of the rows go left, those of the median as far as there is room.
std::vector<Dissection::Part> Dissection::deal_out(const Part& part, std::size_t axis) {
  const Median median = median_of(part, axis);
  std::uint64_t room = (median.all / 2) - median.below;
  std::vector<Part> out(2);
  for (const RecordRows& each : part) {
    const std::uint32_t at = rank(each, axis);
    if (at != median.rank) {
      out[at < median.rank ? 0 : 1].push_back(each);
      continue;
    }
    const std::uint64_t left = std::min(room, each.rows);
    room -= left;
    if (left > 0) out[0].push_back({each.record, left});
    if (left < each.rows) out[1].push_back({each.record, each.rows - left});
  }
  return out;
}

// The children of what covers the part, each with its members.
std::vector<Dissection::Part> Dissection::children(const Part& part, std::size_t axis) {
  const Axis& along = axes_[axis];
  const Extent extent = extent_of(part, axis);
  const std::size_t level = along.children_level(extent.low, extent.high);
  std::vector<Part> out;
  std::vector<std::uint32_t> codes;
  for (const RecordRows& each : part) {
    const std::uint32_t code = along.child(level, rank(each, axis));
    if (code >= place_of_child_.size()) place_of_child_.resize(code + std::size_t{1}, kNone);
    std::uint32_t& place = place_of_child_[code];
    if (place == kNone) {
      place = static_cast<std::uint32_t>(out.size());
      out.emplace_back();
      codes.push_back(code);
    }
    out[place].push_back(each);
  }
  for (const std::uint32_t code : codes) place_of_child_[code] = kNone;
  return out;
}

std::vector<Dissection::Part> Dissection::cut_along_tree(const Part& part, std::size_t axis) {
  std::vector<Part> holding;
  Part pool;
  for (Part& child : children(part, axis)) {
    if (holds(child)) {
      holding.push_back(std::move(child));
    } else if (cuts_ == Cuts::kStrict) {
      return {};
    } else {
      pool.insert(pool.end(), child.begin(), child.end());
    }
  }
  return pool.empty() ? holding : pooled(std::move(holding), std::move(pool));
}

// What does not satisfy the criteria stays together, with the smallest of the others as long as it
// must.
std::vector<Dissection::Part> Dissection::pooled(std::vector<Part> holding, Part pool) {
  std::ranges::sort(holding, std::ranges::greater{}, rows_of);
  while (!holding.empty() && !holds(pool)) {
    pool.insert(pool.end(), holding.back().begin(), holding.back().end());
    holding.pop_back();
  }
  if (!holding.empty()) holding.push_back(std::move(pool));
  return holding;
}

bool Dissection::holds(const Part& part) {
  if (rows_of(part) < least_rows_) return false;
  if (others_.empty()) return true;
  const ClassView view = tally_.view(part);
  return std::ranges::all_of(others_, [&](const Criterion* each) { return each->holds(view); });
}

void Dissection::finish(const Part& part, PartitionBuilder& out) {
  std::vector<std::uint32_t> cells;
  std::vector<double> widths;
  const std::vector<Extent> extents = extents_of(part);
  for (std::size_t a = 0; a < extents.size(); ++a) {
    const auto [low, high] = extents[a];
    const auto [found, is_new] = labels_[a].emplace((std::uint64_t{low} << 32U) | high, 0);
    if (is_new) found->second = out.label(a, axes_[a].label(low, high));
    cells.push_back(found->second);
    widths.push_back(axes_[a].width(low, high));
  }
  out.add(part, cells, widths);
}

}  // namespace tacit::anonymize

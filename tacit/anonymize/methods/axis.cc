#include "tacit/anonymize/methods/axis.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <tuple>

#include "tacit/base/rational.h"

namespace tacit::anonymize {
namespace {

constexpr const char* kEverything = "*";

// The leaves that rows have, in the order of the hierarchy.
std::vector<std::uint32_t> present_leaves(const Records& records, const Hierarchy& hierarchy,
                                          std::size_t column) {
  std::vector<bool> is_present(hierarchy.leaves());
  for (std::size_t i = 0; i < records.size(); ++i) is_present[records.record(i)[column]] = true;
  std::vector<std::uint32_t> out;
  for (std::uint32_t leaf = 0; leaf < is_present.size(); ++leaf) {
    if (is_present[leaf]) out.push_back(leaf);
  }
  return out;
}

}  // namespace

void Axis::rank_leaves(const std::vector<std::uint32_t>& leaves, std::size_t all) {
  ranks_.assign(all, 0);
  leaves_ = leaves;
  for (std::uint32_t rank = 0; rank < leaves.size(); ++rank) {
    ranks_[leaves[rank]] = rank;
    places_.push_back(rank);
  }
}

Axis Axis::ordered(const Records& records, const Hierarchy& hierarchy, std::size_t column,
                   std::vector<std::uint32_t> leaves) {
  std::vector<std::size_t> place(hierarchy.leaves());
  for (std::size_t i = 0; i < leaves.size(); ++i) place[leaves[i]] = i + 1;
  std::vector<std::uint32_t> present = present_leaves(records, hierarchy, column);
  std::ranges::sort(present, {}, [&](std::uint32_t leaf) {
    return std::tuple(!hierarchy.label(0, leaf).empty(), place[leaf], leaf);
  });
  Axis out;
  out.rank_leaves(present, hierarchy.leaves());
  for (const std::uint32_t leaf : present) out.values_.push_back(hierarchy.label(0, leaf));
  return out;
}

Axis Axis::sorted(const Records& records, const Hierarchy& hierarchy, std::size_t column) {
  struct Known {
    bool is_missing = false;
    Rational number;
    std::uint32_t leaf = 0;
  };
  std::vector<Known> known;
  bool are_numbers = true;
  for (const std::uint32_t leaf : present_leaves(records, hierarchy, column)) {
    const std::string& text = hierarchy.label(0, leaf);
    const auto number = Rational::parse(text);
    are_numbers = are_numbers && (text.empty() || number);
    known.push_back({text.empty(), number.value_or(Rational()), leaf});
  }
  std::ranges::sort(known, [&](const Known& a, const Known& b) {
    if (a.is_missing != b.is_missing) return a.is_missing;
    if (are_numbers && a.number != b.number) return a.number < b.number;
    return hierarchy.label(0, a.leaf) < hierarchy.label(0, b.leaf);
  });
  std::vector<std::uint32_t> leaves;
  for (const Known& each : known) leaves.push_back(each.leaf);
  Axis out = ordered(records, hierarchy, column, leaves);
  if (!are_numbers) {
    out.show_ = Show::kSet;
    return out;
  }
  for (std::size_t i = 0; i < known.size(); ++i) out.places_[i] = known[i].number.approximate();
  return out;
}

// Leaves sorted by what they are at the top, then one level below, and so on: by nesting, each
// value of each level is a run of ranks.
Axis Axis::tree(const Records& records, const Hierarchy& hierarchy, std::size_t column) {
  std::vector<std::uint32_t> present = present_leaves(records, hierarchy, column);
  std::ranges::sort(present, [&](std::uint32_t a, std::uint32_t b) {
    for (std::size_t level = hierarchy.levels(); level-- > 0;) {
      const std::uint32_t one = hierarchy.at(level, a);
      const std::uint32_t other = hierarchy.at(level, b);
      if (one != other) return one < other;
    }
    return false;
  });
  Axis out;
  out.tree_ = &hierarchy;
  out.rank_leaves(present, hierarchy.leaves());
  for (const std::uint32_t leaf : present) out.values_.push_back(hierarchy.label(0, leaf));
  return out;
}

std::size_t Axis::common_level(std::uint32_t low, std::uint32_t high) const {
  std::size_t level = 0;
  while (level < tree_->levels() &&
         tree_->at(level, leaves_[low]) != tree_->at(level, leaves_[high])) {
    ++level;
  }
  return level;
}

std::size_t Axis::children_level(std::uint32_t low, std::uint32_t high) const {
  return common_level(low, high) - 1;
}

std::uint32_t Axis::child(std::size_t level, std::uint32_t rank) const {
  return tree_->at(level, leaves_[rank]);
}

bool Axis::mixes_missing(std::uint32_t low, std::uint32_t high) const {
  return low != high && values_[low].empty();
}

double Axis::width(std::uint32_t low, std::uint32_t high) const {
  if (low == high) return 0;
  if (tree_ != nullptr) {
    const std::size_t level = common_level(low, high);
    return level == tree_->levels() ? 1 : tree_->share(level, leaves_[low]);
  }
  if (mixes_missing(low, high)) return 1;
  if (show_ == Show::kSet) return (high - low + 1.0) / static_cast<double>(size());
  const std::size_t first = values_.front().empty() ? 1 : 0;
  const double whole = places_.back() - places_[first];
  return whole > 0 ? (places_[high] - places_[low]) / whole : 0;
}

std::string Axis::label(std::uint32_t low, std::uint32_t high) const {
  if (low == high) return values_[low];
  if (tree_ != nullptr) {
    const std::size_t level = common_level(low, high);
    return level == tree_->levels() ? kEverything
                                    : tree_->label(level, tree_->at(level, leaves_[low]));
  }
  // A range does not say that a value may be missing.
  if (mixes_missing(low, high)) return kEverything;
  if (show_ == Show::kRange) return fmt::format("{} .. {}", values_[low], values_[high]);
  return fmt::format("{{{}}}",
                     fmt::join(std::span(values_).subspan(low, std::size_t{high} - low + 1), ", "));
}

std::vector<Axis> tree_axes(const Records& records, std::span<const Hierarchy> hierarchies) {
  std::vector<Axis> out;
  for (std::size_t i = 0; i < hierarchies.size(); ++i) {
    out.push_back(Axis::tree(records, hierarchies[i], i));
  }
  return out;
}

}  // namespace tacit::anonymize

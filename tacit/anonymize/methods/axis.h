#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tacit/anonymize/hierarchy.h"
#include "tacit/anonymize/records.h"

namespace tacit::anonymize {

// A quasi-identifier as a direction in which a table can be cut: the values that its rows have, in
// an order, ranked from 0. A class shows what lies between its lowest and its highest rank.
class Axis {
 public:
  // The values in a given order, such as that of sizes: "S .. L". A missing value comes first.
  static Axis ordered(const Records& records, const Hierarchy& hierarchy, std::size_t column,
                      std::vector<std::uint32_t> leaves);
  // Numbers by their value: "17 .. 24". Texts, where not all are numbers, by the alphabet:
  // "{blue, green}". A missing value comes first.
  static Axis sorted(const Records& records, const Hierarchy& hierarchy, std::size_t column);
  // Along the hierarchy: what is one value at any of its levels is in one piece. A class shows the
  // lowest level's value that covers it. The hierarchy must outlive the axis.
  static Axis tree(const Records& records, const Hierarchy& hierarchy, std::size_t column);

  // How many ranks there are.
  [[nodiscard]] std::size_t size() const { return values_.size(); }
  // Of a leaf that a record has.
  [[nodiscard]] std::uint32_t rank(std::uint32_t leaf) const { return ranks_[leaf]; }
  // Whether it is cut where a hierarchy says, and not at any rank.
  [[nodiscard]] bool is_tree() const { return tree_ != nullptr; }
  // Of a tree: which of the children of what covers both ends a rank lies under.
  [[nodiscard]] std::size_t children_level(std::uint32_t low, std::uint32_t high) const;
  [[nodiscard]] std::uint32_t child(std::size_t level, std::uint32_t rank) const;

  // How much of the whole column these ranks are, from 0 (one value) to 1: the normalized certainty
  // penalty (Xu and others, 2006). Of numbers it is the part of their range, of texts the part of
  // the values, of a tree the part of its leaves.
  [[nodiscard]] double width(std::uint32_t low, std::uint32_t high) const;
  // What a class shows that has these ranks.
  [[nodiscard]] std::string label(std::uint32_t low, std::uint32_t high) const;

 private:
  enum class Show : std::uint8_t { kRange, kSet };

  void rank_leaves(const std::vector<std::uint32_t>& leaves, std::size_t all);
  [[nodiscard]] bool mixes_missing(std::uint32_t low, std::uint32_t high) const;
  // The lowest level at which both are one; the number of levels where there is none.
  [[nodiscard]] std::size_t common_level(std::uint32_t low, std::uint32_t high) const;

  Show show_ = Show::kRange;
  const Hierarchy* tree_ = nullptr;
  std::vector<std::uint32_t> ranks_;   // of each leaf
  std::vector<std::uint32_t> leaves_;  // of each rank
  std::vector<std::string> values_;    // of each rank
  std::vector<double> places_;         // of each rank, on the line of numbers or by its number
};

// One for each quasi-identifier, along its hierarchy.
std::vector<Axis> tree_axes(const Records& records, std::span<const Hierarchy> hierarchies);

}  // namespace tacit::anonymize

#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "tacit/anonymize/classes.h"
#include "tacit/anonymize/lattice.h"

namespace tacit::anonymize {

// The classes of nodes that were looked at, so that those of a node above are put together from
// few.
class Snapshots {
 public:
  // All must outlive it.
  Snapshots(const Records& records, std::span<const Hierarchy> hierarchies, const Lattice& lattice,
            bool with_histograms)
      : lattice_(lattice),
        grouper_(records, hierarchies, with_histograms),
        finest_(kept(grouper_.finest())),
        widest_(columns_by_values()) {
    if (!with_histograms) return;
    histograms_.push_back(finest_);
    finest_.classes.sensitive.clear();
    finest_.size = records.size();
  }

  [[nodiscard]] const Codes& codes() const { return grouper_.codes(); }
  // The classes of a node, from the fewest at hand that they are unions of.
  [[nodiscard]] Classes at(const Node& node) {
    if (2 * fewest_below(node).size() > finest_.classes.size()) keep_stone(node);
    return grouper_.coarsen(fewest_below(node), node);
  }
  // The same with histograms, which few looks need.
  [[nodiscard]] Classes with_histograms(const Node& node) {
    return grouper_.coarsen(fewest_below(node, histograms_.front(), histograms_), node);
  }
  // The class of each record at a node, after the classes, with histograms where there are some.
  [[nodiscard]] std::pair<Classes, std::span<const std::uint32_t>> with_records(const Node& node) {
    const Kept& finest = histograms_.empty() ? finest_ : histograms_.front();
    Classes classes = grouper_.coarsen(finest.classes, node);
    return {std::move(classes), grouper_.class_of()};
  }
  void keep(Classes classes) {
    Kept one = kept(std::move(classes));
    if (one.size > kMostCells - cells_) return;
    cells_ += one.size;
    (one.classes.sensitive.empty() ? kept_ : histograms_).push_back(std::move(one));
  }

 private:
  struct Kept {
    std::uint64_t packed = 0;
    std::size_t size = 0;  // classes, and values in histograms
    Classes classes;
  };

  [[nodiscard]] Kept kept(Classes classes) const {
    std::size_t size = classes.size();
    for (const Histograms& column : classes.sensitive) size += column.values.size();
    const std::uint64_t packed = lattice_.packed(classes.node());
    return {.packed = packed, .size = size, .classes = std::move(classes)};
  }

  // Classes and values in histograms, at 16 bytes each.
  static constexpr std::size_t kMostCells = std::size_t{1} << 24;
  static constexpr std::size_t kStoneColumns = 3;

  [[nodiscard]] std::vector<std::size_t> columns_by_values() const {
    std::vector<std::size_t> out(codes().columns());
    std::iota(out.begin(), out.end(), std::size_t{0});
    std::ranges::sort(out, std::greater(), [&](std::size_t c) { return codes().size(c, 0); });
    out.resize(std::min(out.size(), kStoneColumns));
    return out;
  }

  // A node below this one that is below many others too: only the columns with the most values are
  // at its levels.
  void keep_stone(const Node& node) {
    Node stone(node.size(), 0);
    for (const std::size_t c : widest_) stone[c] = node[c];
    const Classes& finer = fewest_below(stone);
    if (finer.node() != stone && stone != node) keep(grouper_.coarsen(finer, stone));
  }

  [[nodiscard]] const Classes& fewest_below(const Node& node) const {
    return fewest_below(node, finest_, kept_);
  }
  [[nodiscard]] const Classes& fewest_below(const Node& node, const Kept& finest,
                                            std::span<const Kept> some) const {
    const std::uint64_t packed = lattice_.packed(node);
    const Kept* fewest = &finest;
    for (const Kept& each : some) {
      if (each.size < fewest->size && lattice_.is_below(each.packed, packed)) fewest = &each;
    }
    return fewest->classes;
  }

  const Lattice& lattice_;
  Grouper grouper_;
  Kept finest_;
  std::vector<std::size_t> widest_;  // columns
  std::vector<Kept> kept_;           // without histograms
  std::vector<Kept> histograms_;     // with them, the finest first; empty where nobody asks
  std::size_t cells_ = 0;
};

}  // namespace tacit::anonymize

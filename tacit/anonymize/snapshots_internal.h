#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
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
        telling_(telling_columns(records, grouper_.codes())) {
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

  // The columns that tell rows apart best: their values have the greatest entropy.
  [[nodiscard]] static std::vector<std::size_t> telling_columns(const Records& records,
                                                                const Codes& codes) {
    std::vector<std::pair<double, std::size_t>> columns;
    for (std::size_t c = 0; c < codes.columns(); ++c) {
      std::vector<std::uint64_t> rows(codes.size(c, 0));
      for (std::size_t i = 0; i < records.size(); ++i) {
        rows[codes.of_leaf(c, records.record(i)[c])] += records.counts[i];
      }
      double sum = 0;  // the less, the greater the entropy
      for (const std::uint64_t count : rows) {
        if (count > 0) sum += static_cast<double>(count) * std::log2(static_cast<double>(count));
      }
      columns.emplace_back(sum, c);
    }
    std::ranges::sort(columns);
    std::vector<std::size_t> out;
    for (const auto& [sum, c] : columns) out.push_back(c);
    out.resize(std::min(out.size(), kStoneColumns));
    return out;
  }

  // A node below this one that is below many others too: only the columns that tell rows apart best
  // are at its levels.
  void keep_stone(const Node& node) {
    Node stone(node.size(), 0);
    for (const std::size_t c : telling_) stone[c] = node[c];
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
  std::vector<std::size_t> telling_;
  std::vector<Kept> kept_;        // without histograms
  std::vector<Kept> histograms_;  // with them, the finest first; empty where nobody asks
  std::size_t cells_ = 0;
};

}  // namespace tacit::anonymize

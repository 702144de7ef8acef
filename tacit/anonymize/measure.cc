#include "tacit/anonymize/measure.h"

#include <algorithm>
#include <cmath>

namespace tacit::anonymize {
namespace {

// The rows at each leaf of a column.
std::vector<std::uint64_t> rows_at_leaves(const Records& records, std::size_t column,
                                          std::size_t leaves) {
  std::vector<std::uint64_t> out(leaves);
  for (std::size_t i = 0; i < records.size(); ++i) {
    out[records.record(i)[column]] += records.counts[i];
  }
  return out;
}

class Loss final : public Measure {
 public:
  Loss(const Records& records, std::span<const Hierarchy> hierarchies)
      : records_(records), hierarchies_(hierarchies) {
    for (std::size_t c = 0; c < hierarchies.size(); ++c) {
      const Hierarchy& hierarchy = hierarchies[c];
      const auto rows = rows_at_leaves(records, c, hierarchy.leaves());
      std::vector<double>& sums = sums_.emplace_back();
      for (std::size_t level = 0; level < hierarchy.levels(); ++level) {
        double sum = 0;
        for (std::uint32_t leaf = 0; leaf < rows.size(); ++leaf) {
          sum += static_cast<double>(rows[leaf]) * hierarchy.share(level, leaf);
        }
        sums.push_back(sum);
      }
    }
  }

  [[nodiscard]] double bound(const Node& node) const override {
    double product = 1;
    for (std::size_t c = 0; c < node.size(); ++c) product *= 1 + loss_of(c, sums_[c][node[c]]);
    return joined(product);
  }

  [[nodiscard]] double score(const Node& node, const Classes& classes,
                             const std::vector<bool>& is_kept) const override {
    // What suppression adds to the shares of all rows.
    std::vector<double> added(node.size());
    for (std::size_t i = 0; i < classes.size(); ++i) {
      if (is_kept[i]) continue;
      const auto rows = static_cast<double>(classes.counts[i]);
      const std::uint32_t* const leaves = records_.record(classes.records[i]);
      for (std::size_t c = 0; c < node.size(); ++c) {
        added[c] += rows * (1 - hierarchies_[c].share(node[c], leaves[c]));
      }
    }
    double product = 1;
    for (std::size_t c = 0; c < node.size(); ++c) {
      product *= 1 + loss_of(c, sums_[c][node[c]] + added[c]);
    }
    return joined(product);
  }

 private:
  // From the sum of all rows' shares, where untouched rows have a share of one leaf each.
  [[nodiscard]] double loss_of(std::size_t column, double sum) const {
    const auto rows = static_cast<double>(records_.rows);
    const double untouched = rows / static_cast<double>(hierarchies_[column].leaves());
    if (rows == untouched) return 0;  // one leaf: there is nothing to lose
    return std::floor((sum - untouched) / (rows - untouched) * kDecimals) / kDecimals;
  }
  [[nodiscard]] double joined(double product) const {
    return std::pow(product, 1 / static_cast<double>(hierarchies_.size())) - 1;
  }

  // A column's loss has ten decimals, the rest is dropped, so that scores compare with ARX's.
  static constexpr double kDecimals = 1e10;

  const Records& records_;
  std::span<const Hierarchy> hierarchies_;
  std::vector<std::vector<double>> sums_;  // of shares, for each column and level
};

class Entropy final : public Measure {
 public:
  Entropy(const Records& records, std::span<const Hierarchy> hierarchies) {
    for (std::size_t c = 0; c < hierarchies.size(); ++c) {
      const Hierarchy& hierarchy = hierarchies[c];
      const auto rows = rows_at_leaves(records, c, hierarchy.leaves());
      std::vector<double>& bits = bits_.emplace_back();
      for (std::size_t level = 0; level < hierarchy.levels(); ++level) {
        std::vector<std::uint64_t> above(hierarchy.size(level));
        for (std::uint32_t leaf = 0; leaf < rows.size(); ++leaf) {
          above[hierarchy.at(level, leaf)] += rows[leaf];
        }
        double sum = 0;
        for (std::uint32_t leaf = 0; leaf < rows.size(); ++leaf) {
          if (rows[leaf] == 0) continue;
          const auto count = static_cast<double>(rows[leaf]);
          sum += count * std::log2(static_cast<double>(above[hierarchy.at(level, leaf)]) / count);
        }
        bits.push_back(sum);
      }
    }
  }

  [[nodiscard]] double bound(const Node& node) const override {
    double sum = 0;
    for (std::size_t c = 0; c < node.size(); ++c) sum += bits_[c][node[c]];
    return sum;
  }
  [[nodiscard]] double score(const Node& node, const Classes& /*classes*/,
                             const std::vector<bool>& /*is_kept*/) const override {
    return bound(node);
  }

 private:
  std::vector<std::vector<double>> bits_;  // for each column and level
};

// Judged by the classes alone: nothing is known of a node before they are counted.
class Discernibility final : public Measure {
 public:
  [[nodiscard]] double bound(const Node& /*node*/) const override { return 0; }
  [[nodiscard]] double score(const Node& /*node*/, const Classes& classes,
                             const std::vector<bool>& /*is_kept*/) const override {
    double sum = 0;
    for (const std::uint64_t count : classes.counts) {
      sum += static_cast<double>(count) * static_cast<double>(count);
    }
    return sum;
  }
};

class AverageClass final : public Measure {
 public:
  explicit AverageClass(std::uint64_t rows) : rows_(static_cast<double>(rows)) {}
  [[nodiscard]] double bound(const Node& /*node*/) const override { return 0; }
  [[nodiscard]] double score(const Node& /*node*/, const Classes& /*classes*/,
                             const std::vector<bool>& is_kept) const override {
    const auto kept = std::ranges::count(is_kept, true);
    const bool suppresses = kept < std::ssize(is_kept);
    return rows_ / static_cast<double>(kept + (suppresses ? 1 : 0));
  }

 private:
  double rows_;
};

}  // namespace

std::unique_ptr<Measure> loss_measure(const Records& records,
                                      std::span<const Hierarchy> hierarchies) {
  return std::make_unique<Loss>(records, hierarchies);
}

std::unique_ptr<Measure> entropy_measure(const Records& records,
                                         std::span<const Hierarchy> hierarchies) {
  return std::make_unique<Entropy>(records, hierarchies);
}

std::unique_ptr<Measure> discernibility_measure(const Records& /*records*/) {
  return std::make_unique<Discernibility>();
}

std::unique_ptr<Measure> average_class_measure(const Records& records) {
  return std::make_unique<AverageClass>(records.rows);
}

}  // namespace tacit::anonymize

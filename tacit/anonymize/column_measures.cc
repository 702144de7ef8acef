// Measures that are joined from one number for each column: what its cells have lost.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "tacit/anonymize/leaf_rows_internal.h"
#include "tacit/anonymize/measure.h"

namespace tacit::anonymize {
namespace {

// What the cells of one column lose.
struct Column {
  std::vector<double> generalized;  // at each level, all rows kept
  // What a suppressed cell loses on top, by its value at each level; nothing where suppressed rows
  // count as kept.
  std::vector<std::vector<double>> suppressed;
};

class ColumnMeasure : public Measure {
 public:
  ColumnMeasure(std::vector<Column> columns, CellWeights weights)
      : columns_(std::move(columns)), weights_(std::move(weights)) {
    weights_.columns.resize(columns_.size(), 1);
  }

  [[nodiscard]] double score(const Published& table) const override {
    return bound(table.classes.node(), lost(table));
  }
  [[nodiscard]] double bound(const Node& node) const override { return bound(node, {}); }
  [[nodiscard]] double bound(const Node& node, std::span<const double> lost) const override {
    double joined = start();
    for (std::size_t c = 0; c < node.size(); ++c) {
      const double generalized = weights_.generalization * columns_[c].generalized[node[c]];
      const double suppressed = lost.empty() ? 0 : weights_.suppression * lost[c];
      joined = join(joined, c, generalized + suppressed);
    }
    return finish(joined);
  }

  [[nodiscard]] std::vector<double> lost(const Published& table) const override {
    if (table.suppressed == 0 || columns_.front().suppressed.empty()) return {};
    const Node& node = table.classes.node();
    std::vector<std::uint32_t> gone;
    for (std::uint32_t i = 0; i < table.classes.size(); ++i) {
      if (table.is_kept[i] == 0) gone.push_back(i);
    }
    std::vector<double> out;
    std::vector<std::uint64_t> rows;  // suppressed, by code
    for (std::size_t c = 0; c < node.size(); ++c) {
      rows.assign(table.codes.size(c, node[c]), 0);
      table.classes.add_rows(c, gone, rows);
      double sum = 0;
      for (std::uint32_t code = 0; code < rows.size(); ++code) {
        sum += static_cast<double>(rows[code]) *
               columns_[c].suppressed[node[c]][table.codes.value(c, node[c], code)];
      }
      out.push_back(sum);
    }
    return out;
  }

 protected:
  // How the losses of columns become one number: finish(join(join(start, 0, x), 1, y) ...), which
  // grows with each.
  [[nodiscard]] virtual double start() const { return 0; }
  [[nodiscard]] virtual double join(double joined, std::size_t column, double loss) const {
    return joined + (weight(column) * loss);
  }
  [[nodiscard]] virtual double finish(double joined) const { return joined; }

  [[nodiscard]] double weight(std::size_t column) const { return weights_.columns[column]; }
  [[nodiscard]] double all_weights() const {
    return std::accumulate(weights_.columns.begin(), weights_.columns.end(), 0.0);
  }

 private:
  std::vector<Column> columns_;
  CellWeights weights_;
};

// A cell's loss is the part of the leaves that it stands for, less that of one leaf.
class Loss final : public ColumnMeasure {
 public:
  Loss(std::vector<Column> columns, const CellWeights& weights, std::vector<double> most)
      : ColumnMeasure(std::move(columns), weights), most_(std::move(most)) {}

 private:
  [[nodiscard]] double start() const override { return 1; }
  [[nodiscard]] double join(double joined, std::size_t column, double loss) const override {
    if (most_[column] == 0) return joined;  // one leaf: there is nothing to lose
    const double part = std::floor(loss / most_[column] * kDecimals) / kDecimals;
    return joined * (weight(column) == 1 ? 1 + part : std::pow(1 + part, weight(column)));
  }
  [[nodiscard]] double finish(double joined) const override {
    return std::pow(joined, 1 / all_weights()) - 1;
  }

  // A column's loss has ten decimals, the rest is dropped, so that scores compare with ARX's.
  static constexpr double kDecimals = 1e10;

  std::vector<double> most_;  // that each column can lose
};

// The mean over all cells.
class Precision final : public ColumnMeasure {
 public:
  Precision(std::vector<Column> columns, const CellWeights& weights, std::uint64_t rows)
      : ColumnMeasure(std::move(columns), weights), rows_(static_cast<double>(rows)) {}

 private:
  [[nodiscard]] double finish(double joined) const override {
    return rows_ == 0 ? 0 : joined / (rows_ * all_weights());
  }
  double rows_;
};

Column shares(const std::vector<std::uint64_t>& rows, const Hierarchy& hierarchy, double all) {
  Column out;
  const double untouched = all / static_cast<double>(hierarchy.leaves());
  for (std::size_t level = 0; level < hierarchy.levels(); ++level) {
    double sum = 0;
    std::vector<double>& rest = out.suppressed.emplace_back(hierarchy.size(level));
    for (std::uint32_t leaf = 0; leaf < rows.size(); ++leaf) {
      const double share = hierarchy.share(level, leaf);
      sum += static_cast<double>(rows[leaf]) * share;
      rest[hierarchy.at(level, leaf)] = 1 - share;
    }
    // Rounding may take it below nothing.
    out.generalized.push_back(std::max(0.0, sum - untouched));
  }
  return out;
}

Column bits(const std::vector<std::uint64_t>& rows, const Hierarchy& hierarchy, double all,
            Suppressed suppressed) {
  Column out;
  for (std::size_t level = 0; level < hierarchy.levels(); ++level) {
    const std::vector<std::uint64_t> above = rows_at_level(rows, hierarchy, level);
    double sum = 0;
    for (std::uint32_t leaf = 0; leaf < rows.size(); ++leaf) {
      if (rows[leaf] == 0) continue;
      const auto count = static_cast<double>(rows[leaf]);
      sum += count * std::log2(static_cast<double>(above[hierarchy.at(level, leaf)]) / count);
    }
    out.generalized.push_back(sum);
    if (suppressed == Suppressed::kAsKept) continue;
    std::vector<double>& rest = out.suppressed.emplace_back();
    for (const std::uint64_t count : above) {
      rest.push_back(count == 0 ? 0 : std::log2(all / static_cast<double>(count)));
    }
  }
  return out;
}

Column heights(const Hierarchy& hierarchy, double all) {
  Column out;
  const std::size_t levels = hierarchy.levels();
  for (std::size_t level = 0; level < levels; ++level) {
    const double height =
        levels == 1 ? 0 : static_cast<double>(level) / static_cast<double>(levels - 1);
    out.generalized.push_back(all * height);
    out.suppressed.emplace_back(hierarchy.size(level), levels == 1 ? 0 : 1 - height);
  }
  return out;
}

}  // namespace

std::unique_ptr<Measure> loss_measure(const Records& records,
                                      std::span<const Hierarchy> hierarchies,
                                      const CellWeights& weights) {
  const auto all = static_cast<double>(records.rows);
  std::vector<Column> columns;
  std::vector<double> most;
  for (std::size_t c = 0; c < hierarchies.size(); ++c) {
    const std::size_t leaves = hierarchies[c].leaves();
    columns.push_back(shares(rows_at_leaves(records, c, leaves), hierarchies[c], all));
    most.push_back(all - (all / static_cast<double>(leaves)));
  }
  return std::make_unique<Loss>(std::move(columns), weights, std::move(most));
}

std::unique_ptr<Measure> entropy_measure(const Records& records,
                                         std::span<const Hierarchy> hierarchies,
                                         Suppressed suppressed, const CellWeights& weights) {
  std::vector<Column> columns;
  for (std::size_t c = 0; c < hierarchies.size(); ++c) {
    columns.push_back(bits(rows_at_leaves(records, c, hierarchies[c].leaves()), hierarchies[c],
                           static_cast<double>(records.rows), suppressed));
  }
  return std::make_unique<ColumnMeasure>(std::move(columns), weights);
}

std::unique_ptr<Measure> precision_measure(const Records& records,
                                           std::span<const Hierarchy> hierarchies,
                                           const CellWeights& weights) {
  std::vector<Column> columns;
  for (const Hierarchy& hierarchy : hierarchies) {
    columns.push_back(heights(hierarchy, static_cast<double>(records.rows)));
  }
  return std::make_unique<Precision>(std::move(columns), weights, records.rows);
}

}  // namespace tacit::anonymize

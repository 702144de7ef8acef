// Measures that are counted from the classes: little is known of a node before it is looked at.
#include <algorithm>
#include <cmath>

#include "tacit/anonymize/leaf_rows_internal.h"
#include "tacit/anonymize/measure.h"

namespace tacit::anonymize {
namespace {

double square(std::uint64_t count) {
  return static_cast<double>(count) * static_cast<double>(count);
}

// For each column and level the chance that two rows look alike there.
std::vector<std::vector<double>> collisions(const Records& records,
                                            std::span<const Hierarchy> hierarchies) {
  std::vector<std::vector<double>> out(hierarchies.size());
  for (std::size_t c = 0; c < hierarchies.size(); ++c) {
    const auto rows = rows_at_leaves(records, c, hierarchies[c].leaves());
    for (std::size_t level = 0; level < hierarchies[c].levels(); ++level) {
      double sum = 0;
      for (const std::uint64_t count : rows_at_level(rows, hierarchies[c], level)) {
        sum += square(count);
      }
      out[c].push_back(sum / square(std::max<std::uint64_t>(records.rows, 1)));
    }
  }
  return out;
}

class ClassMeasure : public Measure {
 public:
  ClassMeasure(const Records& records, std::span<const Hierarchy> hierarchies)
      : rows_(records.rows), collisions_(collisions(records, hierarchies)) {}

  [[nodiscard]] double bound(const Node& /*node*/) const override { return 0; }
  // As if columns were independent: the chance that two rows look alike in all.
  [[nodiscard]] double estimate(const Node& node) const override {
    double product = 1;
    for (std::size_t c = 0; c < node.size(); ++c) product *= collisions_[c][node[c]];
    return product;
  }
  [[nodiscard]] bool has_estimates() const override { return true; }

 protected:
  [[nodiscard]] std::uint64_t rows() const { return rows_; }

 private:
  std::uint64_t rows_;
  std::vector<std::vector<double>> collisions_;
};

class Discernibility final : public ClassMeasure {
 public:
  Discernibility(const Records& records, std::span<const Hierarchy> hierarchies,
                 Suppressed suppressed)
      : ClassMeasure(records, hierarchies), suppressed_(suppressed) {}

  [[nodiscard]] double score(const Published& table) const override {
    if (suppressed_ == Suppressed::kAsKept) return bound_above(table.classes);
    double sum = static_cast<double>(rows()) * static_cast<double>(table.suppressed);
    for (std::size_t i = 0; i < table.classes.size(); ++i) {
      if (table.is_kept[i] != 0) sum += square(table.classes.counts[i]);
    }
    return sum;
  }
  [[nodiscard]] double bound_above(const Classes& classes) const override {
    double sum = 0;
    for (const std::uint64_t count : classes.counts) sum += square(count);
    return sum;
  }

 private:
  Suppressed suppressed_;
};

class AverageClass final : public ClassMeasure {
 public:
  using ClassMeasure::ClassMeasure;

  [[nodiscard]] double score(const Published& table) const override {
    const auto kept = std::ranges::count(table.is_kept, 1);
    return average(kept + (table.suppressed == 0 ? 0 : 1));
  }
  [[nodiscard]] double bound_above(const Classes& classes) const override {
    return average(std::ssize(classes.counts) - std::ranges::count(classes.counts, 0));
  }

 private:
  [[nodiscard]] double average(std::ptrdiff_t classes) const {
    return classes == 0 ? 0 : static_cast<double>(rows()) / static_cast<double>(classes);
  }
};

class Divergence final : public ClassMeasure {
 public:
  Divergence(const Records& records, std::span<const Hierarchy> hierarchies)
      : ClassMeasure(records, hierarchies), hierarchies_(hierarchies) {
    const auto all = static_cast<double>(records.rows);
    for (const std::uint64_t count : records.counts) {
      if (count == 0) continue;
      const double share = static_cast<double>(count) / all;
      information_ += share * std::log2(share);
    }
  }

  // Shares are taken as logarithms: the product of the columns' leaves may pass any number.
  [[nodiscard]] double score(const Published& table) const override {
    const auto all = static_cast<double>(rows());
    const double gone = static_cast<double>(table.suppressed) / all;
    double everything = 0;
    for (const Hierarchy& hierarchy : hierarchies_) {
      everything += std::log2(static_cast<double>(hierarchy.leaves()));
    }
    double sum = information_;
    if (table.suppressed > 0) sum -= gone * (std::log2(gone) - everything);
    for (std::size_t i = 0; i < table.classes.size(); ++i) {
      if (table.is_kept[i] == 0) continue;
      const double part = log_part(table, i);  // of all combinations of leaves, under the class
      const double share = static_cast<double>(table.classes.counts[i]) / all;
      // What a leaf under the class gets from it and from suppressed rows.
      sum -= share * (std::log2(share + (gone * std::exp2(part))) - part - everything);
    }
    return std::max(sum, 0.0);
  }

 private:
  [[nodiscard]] double log_part(const Published& table, std::size_t index) const {
    const Node& node = table.classes.node();
    double sum = 0;
    for (std::size_t c = 0; c < node.size(); ++c) {
      const std::uint32_t value = table.codes.value(c, node[c], table.classes.code(index, c));
      sum += std::log2(hierarchies_[c].share_of(node[c], value));
    }
    return sum;
  }

  std::span<const Hierarchy> hierarchies_;
  double information_ = 0;  // minus the entropy of the table
};

}  // namespace

std::unique_ptr<Measure> discernibility_measure(const Records& records,
                                                std::span<const Hierarchy> hierarchies,
                                                Suppressed suppressed) {
  return std::make_unique<Discernibility>(records, hierarchies, suppressed);
}

std::unique_ptr<Measure> average_class_measure(const Records& records,
                                               std::span<const Hierarchy> hierarchies) {
  return std::make_unique<AverageClass>(records, hierarchies);
}

std::unique_ptr<Measure> divergence_measure(const Records& records,
                                            std::span<const Hierarchy> hierarchies) {
  return std::make_unique<Divergence>(records, hierarchies);
}

}  // namespace tacit::anonymize

#include "tacit/anonymize/criteria/t_closeness.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "tacit/anonymize/criteria/reference_internal.h"

namespace tacit::anonymize {
namespace {

class Closeness : public Criterion {
 public:
  Closeness(const Records& records, std::size_t column, double t)
      : column_(column), t_(t), reference_(reference(records, column)) {}

  [[nodiscard]] bool holds(const ClassView& view) const override {
    return distance(view.histograms[column_], view.rows) <= t_ + kShareRounding;
  }
  // The rest of the table must be moved onto the values that a class has, wherever they are taken
  // away: where that alone is too far, it is for every part.
  [[nodiscard]] bool is_hopeless(const ClassView& view) const override {
    return least_distance(view.histograms[column_]) > t_ + kShareRounding;
  }
  [[nodiscard]] Merging merging() const override { return Merging::kCloses; }

 protected:
  [[nodiscard]] virtual double distance(const Histogram& histogram, std::uint64_t rows) const = 0;
  // Of any distribution on these values.
  [[nodiscard]] virtual double least_distance(const Histogram& histogram) const = 0;
  [[nodiscard]] const std::vector<double>& table() const { return reference_; }

 private:
  std::size_t column_;
  double t_;
  std::vector<double> reference_;
};

// Half the sum of differences: what is above the reference.
class Equal final : public Closeness {
 public:
  using Closeness::Closeness;

 private:
  [[nodiscard]] double distance(const Histogram& histogram, std::uint64_t rows) const override {
    double sum = 0;
    for (std::size_t i = 0; i < histogram.values.size(); ++i) {
      const double more = share(histogram.counts[i], rows) - table()[histogram.values[i]];
      sum += std::max(more, 0.0);
    }
    return sum;
  }
  [[nodiscard]] double least_distance(const Histogram& histogram) const override {
    double rest = 1;
    for (const std::uint32_t value : histogram.values) rest -= table()[value];
    return rest;
  }
};

// What must pass between each two neighbours, which are 1/(m - 1) apart: the difference of the
// cumulated shares.
class Ordered final : public Closeness {
 public:
  using Closeness::Closeness;

 private:
  [[nodiscard]] double distance(const Histogram& histogram, std::uint64_t rows) const override {
    if (table().size() < 2) return 0;
    std::vector<double> shares(table().size());
    for (std::size_t i = 0; i < histogram.values.size(); ++i) {
      shares[histogram.values[i]] = share(histogram.counts[i], rows);
    }
    double passes = 0;
    double sum = 0;
    for (std::size_t value = 0; value + 1 < shares.size(); ++value) {
      passes += shares[value] - table()[value];
      sum += std::abs(passes);
    }
    return sum / static_cast<double>(shares.size() - 1);
  }
  // Everything to the nearest value of the class.
  [[nodiscard]] double least_distance(const Histogram& histogram) const override {
    if (table().size() < 2) return 0;
    std::vector<std::uint32_t> values(histogram.values.begin(), histogram.values.end());
    std::ranges::sort(values);
    double sum = 0;
    std::size_t next = 0;
    for (std::size_t value = 0; value < table().size(); ++value) {
      if (next + 1 < values.size() && values[next] < value) ++next;
      std::size_t nearest = gap(values[next], value);
      if (next > 0) nearest = std::min(nearest, gap(values[next - 1], value));
      sum += table()[value] * static_cast<double>(nearest);
    }
    return sum / static_cast<double>(table().size() - 1);
  }
  static std::size_t gap(std::size_t a, std::size_t b) { return a < b ? b - a : a - b; }
};

// At each value of each level above the leaves, what its children have too much is moved to those
// that have too little, as far as both go; the rest goes up.
class Hierarchical final : public Closeness {
 public:
  Hierarchical(const Records& records, std::size_t column, double t, const Hierarchy& hierarchy)
      : Closeness(records, column, t), hierarchy_(hierarchy) {
    for (std::size_t level = 0; level < hierarchy.levels(); ++level) {
      std::vector<double>& shares = references_.emplace_back(hierarchy.size(level));
      for (std::uint32_t leaf = 0; leaf < table().size(); ++leaf) {
        shares[hierarchy.at(level, leaf)] += table()[leaf];
      }
      if (level == 0) continue;
      std::vector<std::uint32_t>& parents = parents_.emplace_back(hierarchy.size(level - 1));
      for (std::uint32_t leaf = 0; leaf < hierarchy.leaves(); ++leaf) {
        parents[hierarchy.at(level - 1, leaf)] = hierarchy.at(level, leaf);
      }
    }
  }

 private:
  [[nodiscard]] double distance(const Histogram& histogram, std::uint64_t rows) const override {
    std::vector<double> extra(references_.front().size());
    for (std::size_t value = 0; value < extra.size(); ++value) {
      extra[value] = -references_.front()[value];
    }
    for (std::size_t i = 0; i < histogram.values.size(); ++i) {
      extra[histogram.values[i]] += share(histogram.counts[i], rows);
    }
    double sum = 0;
    for (std::size_t level = 1; level < hierarchy_.levels(); ++level) {
      std::vector<double> much(hierarchy_.size(level));
      std::vector<double> little(hierarchy_.size(level));
      for (std::size_t child = 0; child < extra.size(); ++child) {
        const std::uint32_t parent = parents_[level - 1][child];
        (extra[child] > 0 ? much : little)[parent] += std::abs(extra[child]);
      }
      extra.resize(much.size());
      for (std::size_t parent = 0; parent < much.size(); ++parent) {
        sum += height(level) * std::min(much[parent], little[parent]);
        extra[parent] = much[parent] - little[parent];
      }
    }
    return sum;
  }

  // Everything to a value of the class under the lowest common parent.
  [[nodiscard]] double least_distance(const Histogram& histogram) const override {
    double sum = 0;
    double reached = 0;  // the share that has a value of the class under its parent so far
    for (std::size_t level = 0; level < hierarchy_.levels(); ++level) {
      std::vector<bool> has(hierarchy_.size(level));
      double under = 0;
      for (const std::uint32_t value : histogram.values) {
        const std::uint32_t parent = hierarchy_.at(level, value);
        if (!has[parent]) under += references_[level][parent];
        has[parent] = true;
      }
      sum += height(level) * (under - reached);
      reached = under;
    }
    return sum;
  }
  [[nodiscard]] double height(std::size_t level) const {
    return hierarchy_.levels() < 2
               ? 0
               : static_cast<double>(level) / static_cast<double>(hierarchy_.levels() - 1);
  }

  const Hierarchy& hierarchy_;
  std::vector<std::vector<double>> references_;      // at each level
  std::vector<std::vector<std::uint32_t>> parents_;  // of each value of a level, at the next
};

}  // namespace

std::unique_ptr<Criterion> equal_closeness(const Records& records, std::size_t column, double t) {
  return std::make_unique<Equal>(records, column, t);
}

std::unique_ptr<Criterion> ordered_closeness(const Records& records, std::size_t column, double t) {
  return std::make_unique<Ordered>(records, column, t);
}

std::unique_ptr<Criterion> hierarchical_closeness(const Records& records, std::size_t column,
                                                  double t, const Hierarchy& hierarchy) {
  return std::make_unique<Hierarchical>(records, column, t, hierarchy);
}

}  // namespace tacit::anonymize

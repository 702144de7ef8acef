#include "tacit/anonymize/criteria/l_diversity.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace tacit::anonymize {
namespace {

// All three need l different values, which is also all that any part of a class needs to have a
// chance.
class Diversity : public Criterion {
 public:
  Diversity(std::size_t column, std::uint64_t l) : column_(column), l_(l) {}

  [[nodiscard]] bool is_hopeless(const ClassView& view) const override {
    return values(view).size() < l_;
  }
  [[nodiscard]] std::uint64_t least_rows() const override { return l_; }
  [[nodiscard]] Merging merging() const override { return Merging::kCloses; }

 protected:
  [[nodiscard]] std::span<const std::uint64_t> values(const ClassView& view) const {
    return view.histograms[column_].counts;
  }
  [[nodiscard]] std::uint64_t l() const { return l_; }

 private:
  std::size_t column_;
  std::uint64_t l_;
};

class Distinct final : public Diversity {
 public:
  using Diversity::Diversity;

  [[nodiscard]] bool holds(const ClassView& view) const override { return !is_hopeless(view); }
  [[nodiscard]] Merging merging() const override { return Merging::kAbsorbs; }
};

class Entropy final : public Diversity {
 public:
  Entropy(std::size_t column, double l)
      : Diversity(column, static_cast<std::uint64_t>(std::ceil(l))), least_(std::log(l)) {}

  // The entropy is log(n) - sum of c log(c) / n. Equally many of each of l values must do, however
  // logarithms are rounded.
  [[nodiscard]] bool holds(const ClassView& view) const override {
    const auto counts = values(view);
    if (counts.size() < l()) return false;
    const auto rows = static_cast<double>(view.rows);
    double sum = 0;
    for (const std::uint64_t count : counts) {
      sum += static_cast<double>(count) * std::log(static_cast<double>(count));
    }
    return std::log(rows) - (sum / rows) >= least_ - kRounding;
  }

 private:
  static constexpr double kRounding = 1e-12;

  double least_;
};

class Recursive final : public Diversity {
 public:
  Recursive(std::size_t column, double c, std::uint64_t l) : Diversity(column, l), c_(c) {}

  [[nodiscard]] bool holds(const ClassView& view) const override {
    const auto counts = values(view);
    if (counts.size() < l()) return false;
    // The l - 1 most frequent, at least one, the least of them first.
    std::vector<std::uint64_t> most(std::max<std::size_t>(l() - 1, 1));
    std::uint64_t rest = view.rows;
    for (const std::uint64_t count : counts) {
      if (count <= most.front()) continue;
      std::size_t i = 1;
      for (; i < most.size() && most[i] < count; ++i) most[i - 1] = most[i];
      most[i - 1] = count;
    }
    if (l() > 1) rest -= std::accumulate(most.begin(), most.end(), std::uint64_t{0});
    return static_cast<double>(most.back()) < c_ * static_cast<double>(rest);
  }

 private:
  double c_;
};

}  // namespace

std::unique_ptr<Criterion> distinct_diversity(std::size_t column, std::uint64_t l) {
  return std::make_unique<Distinct>(column, l);
}

std::unique_ptr<Criterion> entropy_diversity(std::size_t column, double l) {
  return std::make_unique<Entropy>(column, l);
}

std::unique_ptr<Criterion> recursive_diversity(std::size_t column, double c, std::uint64_t l) {
  return std::make_unique<Recursive>(column, c, l);
}

}  // namespace tacit::anonymize

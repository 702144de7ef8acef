// Martin and others show that k implications with one consequence, A_i -> A for i = 1..k, are the
// worst (their theorem 9), and that what an attacker then believes of A is
//
//   1 / (1 + Pr(not A, not A_1, ..., not A_k) / Pr(A)).
//
// The ratio is least where each class takes some of these k + 1 atoms, spread over its people in
// falling numbers, each about the most frequent values (MINIMIZE1), and the atoms are dealt to
// classes in the best way, A being about the most frequent value of one of them (MINIMIZE2).
#include "tacit/anonymize/criteria/ck_safety.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>

namespace tacit::anonymize {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

// The least probability that none of some atoms about people of one class is true.
class OneClass {
 public:
  explicit OneClass(std::span<const std::uint64_t> counts)
      : sorted_(counts.begin(), counts.end()),
        rows_(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0})) {
    std::ranges::sort(sorted_, std::greater());
  }

  // For 0, 1, ..., `atoms` atoms.
  [[nodiscard]] std::vector<double> least_misses(std::size_t atoms) const {
    // least[n][m]: for n atoms about people after the first `person`, at most m of them about one.
    std::vector<std::vector<double>> least(atoms + 1, std::vector<double>(atoms + 1, kNever));
    std::ranges::fill(least[0], 1);
    for (std::uint64_t person = std::min<std::uint64_t>(atoms, rows_); person-- > 0;) {
      std::vector<std::vector<double>> with = least;
      for (std::size_t n = 1; n <= atoms; ++n) {
        for (std::size_t most = 1; most <= atoms; ++most) {
          with[n][most] = std::min(with[n][most - 1], kNever);
          if (most > n) continue;
          const double rest = least[n - most][most];
          if (rest == kNever) continue;
          with[n][most] = std::min(with[n][most], miss(person, most) * rest);
        }
      }
      least = std::move(with);
    }
    std::vector<double> out(atoms + 1);
    for (std::size_t n = 0; n <= atoms; ++n) out[n] = least[n][atoms];
    return out;
  }

  // One over the probability of the likeliest atom.
  [[nodiscard]] double odds() const {
    return static_cast<double>(rows_) / static_cast<double>(sorted_.front());
  }

 private:
  // The probability that a person's value is none of the most frequent, after so many others had
  // none of as many or more.
  [[nodiscard]] double miss(std::uint64_t person, std::size_t atoms) const {
    const auto end = sorted_.begin() + static_cast<std::ptrdiff_t>(std::min(atoms, sorted_.size()));
    const std::uint64_t hit = std::accumulate(sorted_.begin(), end, std::uint64_t{0});
    if (rows_ <= person + hit) return 0;
    return static_cast<double>(rows_ - person - hit) / static_cast<double>(rows_ - person);
  }

  std::vector<std::uint64_t> sorted_;
  std::uint64_t rows_;
};

// Deals atoms to classes, one after the other.
class Dealer {
 public:
  explicit Dealer(std::size_t atoms) : without_(atoms + 1, kNever), with_(atoms + 1, kNever) {
    without_[0] = 1;
  }

  void add(std::span<const std::uint64_t> counts) {
    const OneClass one(counts);
    const std::vector<double> misses = one.least_misses(without_.size() - 1);
    // Downwards, so that this class is used once.
    for (std::size_t n = without_.size(); n-- > 0;) {
      for (std::size_t here = 1; here <= n; ++here) {
        const double miss = misses[here];
        if (miss == kNever) continue;
        with_[n] = std::min(
            {with_[n], times(with_[n - here], miss), times(without_[n - here], miss * one.odds())});
        without_[n] = std::min(without_[n], times(without_[n - here], miss));
      }
    }
  }
  [[nodiscard]] double disclosure() const { return 1 / (1 + with_.back()); }

 private:
  static double times(double so_far, double factor) {
    return so_far == kNever ? kNever : so_far * factor;
  }

  std::vector<double> without_;  // the consequence is in no class so far
  std::vector<double> with_;
};

class ClassSafety final : public Criterion {
 public:
  ClassSafety(std::size_t column, double c, std::uint64_t k) : column_(column), c_(c), k_(k) {}

  [[nodiscard]] bool holds(const ClassView& view) const override {
    Dealer dealer(k_ + 1);
    dealer.add(view.histograms[column_].counts);
    return dealer.disclosure() < c_;
  }
  // k + 1 atoms about one person rule out as many values.
  [[nodiscard]] bool is_hopeless(const ClassView& view) const override {
    return view.histograms[column_].values.size() <= k_ + 1;
  }
  [[nodiscard]] std::uint64_t least_rows() const override { return k_ + 2; }
  // Where nothing is suppressed, the criterion on the table implies it, and closes.
  [[nodiscard]] Merging merging() const override { return Merging::kCloses; }

 private:
  std::size_t column_;
  double c_;
  std::uint64_t k_;
};

class TableSafety final : public TableCriterion {
 public:
  TableSafety(std::size_t column, double c, std::uint64_t k) : column_(column), c_(c), k_(k) {}

  [[nodiscard]] bool holds(const Classes& classes,
                           std::span<const std::uint8_t> is_kept) const override {
    Dealer dealer(k_ + 1);
    for (std::size_t i = 0; i < classes.size(); ++i) {
      if (is_kept[i] != 0) dealer.add(classes.sensitive[column_].at(i).counts);
    }
    return dealer.disclosure() < c_;
  }
  [[nodiscard]] bool needs_histograms() const override { return true; }
  [[nodiscard]] Merging merging() const override { return Merging::kCloses; }

 private:
  std::size_t column_;
  double c_;
  std::uint64_t k_;
};

}  // namespace

void add_ck_safety(Criteria& criteria, std::size_t column, double c, std::uint64_t k) {
  criteria.classes.push_back(std::make_unique<ClassSafety>(column, c, k));
  criteria.table.push_back(std::make_unique<TableSafety>(column, c, k));
}

double worst_disclosure(std::span<const std::vector<std::uint64_t>> classes, std::uint64_t k) {
  Dealer dealer(k + 1);
  for (const std::vector<std::uint64_t>& counts : classes) dealer.add(counts);
  return dealer.disclosure();
}

}  // namespace tacit::anonymize

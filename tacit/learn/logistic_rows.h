#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tacit/base/int128.h"
#include "tacit/data/table.h"

namespace tacit::learn {

// How a row of whole numbers, as the engine gives it, becomes the terms of a model: 1, the numbers,
// and for each category an indicator of each of its values.
struct RowShape {
  std::size_t numbers = 0;
  // How many values each category has.
  std::vector<std::size_t> categories;
  // How many values the label has.
  std::size_t classes = 2;

  // The terms of a row, and so the weights of a score.
  [[nodiscard]] std::size_t terms() const;
  // Sums of weighted terms: the log odds of the second class, or a score for each of more.
  [[nodiscard]] std::size_t scores() const { return classes == 2 ? 1 : classes; }
  [[nodiscard]] std::size_t weights() const { return terms() * scores(); }
  // No row of terms has a larger squared length, nor a larger sum of absolute values.
  [[nodiscard]] std::uint64_t largest() const { return 1 + numbers + categories.size(); }
  // Nor has what a row adds to a gradient, of all scores: claim 3.
  [[nodiscard]] std::uint64_t moved() const { return largest() * (classes == 2 ? 1 : 2); }
};

// Private rows in memory, for logistic regression: proof.md. Nothing that leaves this class is fit
// for release.
class LogisticRows {
 public:
  // Numbers come in steps of 2^-kPlaces.
  static constexpr int kPlaces = 20;

  explicit LogisticRows(RowShape shape) : shape_(std::move(shape)) {}

  // Columns are the place of the label's value (or anything else: the row is left out), the
  // numbers, the place of each category's value (or anything else: none of them).
  void add(const IntegerColumns& columns);
  void clear();

  [[nodiscard]] std::size_t size() const { return labels_.size(); }
  [[nodiscard]] std::size_t bytes() const;

  // Adds to `sum` the gradient of each row's logistic loss at `weights`, score by score, brought
  // onto the grid of steps 2^-places (at most 2 * kPlaces) by truncation: claim 3.
  void add_gradient(std::span<const double> weights, int places, std::span<int128> sum) const;

 private:
  // Scores of a row, and the residual of each in steps of 2^-kPlaces.
  struct Residuals {
    std::vector<double> scores;
    std::vector<std::int64_t> steps;
  };

  // The terms of row i: its numbers, then the place of each category's weight, or -1.
  [[nodiscard]] std::span<const std::int32_t> row(std::size_t i) const;
  [[nodiscard]] double score(std::size_t i, std::span<const double> weights) const;
  // The probability of each score's class, less 1 for that of the label.
  void find_residuals(std::size_t i, std::span<const double> weights, Residuals& out) const;

  RowShape shape_;
  std::vector<std::int32_t> cells_;
  std::vector<std::uint16_t> labels_;
};

}  // namespace tacit::learn

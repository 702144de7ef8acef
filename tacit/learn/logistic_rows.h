#pragma once

#include <cstdint>
#include <span>
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

  // The weights of a model.
  [[nodiscard]] std::size_t terms() const;
  // No row of terms has a larger squared length, nor a larger sum of absolute values.
  [[nodiscard]] std::uint64_t largest() const { return 1 + numbers + categories.size(); }
};

// Private rows in memory, for logistic regression: proof.md. Nothing that leaves this class is fit
// for release.
class LogisticRows {
 public:
  // Numbers come in steps of 2^-kPlaces.
  static constexpr int kPlaces = 20;

  // Columns are the label (0, 1, or anything else: the row is left out), the numbers, the place of
  // each category's value (or anything else: none of them).
  LogisticRows(RowShape shape, const IntegerColumns& columns);

  [[nodiscard]] std::size_t size() const { return labels_.size(); }

  // The sum over rows of the gradient of the logistic loss at `weights`, each row's brought onto
  // the grid of steps 2^-places (at most 2 * kPlaces) by truncation: claim 3.
  [[nodiscard]] std::vector<int128> gradient(std::span<const double> weights, int places) const;

 private:
  // The terms of row i: its numbers, then the place of each category's weight, or -1.
  [[nodiscard]] std::span<const std::int32_t> row(std::size_t i) const;
  // sigmoid(weights . row) - label, in steps of 2^-kPlaces.
  [[nodiscard]] std::int64_t residual(std::size_t i, std::span<const double> weights) const;

  RowShape shape_;
  std::vector<std::int32_t> cells_;
  std::vector<std::uint8_t> labels_;
};

}  // namespace tacit::learn

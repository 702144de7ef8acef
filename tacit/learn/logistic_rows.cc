#include "tacit/learn/logistic_rows.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tacit::learn {
namespace {

constexpr std::int64_t kOne = std::int64_t{1} << LogisticRows::kPlaces;

}  // namespace

std::size_t RowShape::terms() const {
  std::size_t out = 1 + numbers;
  for (const std::size_t values : categories) out += values;
  return out;
}

LogisticRows::LogisticRows(RowShape shape, const IntegerColumns& columns)
    : shape_(std::move(shape)) {
  const std::size_t rows = columns.front().size();
  for (std::size_t i = 0; i < rows; ++i) {
    const std::int64_t label = columns.front()[i];
    if (label != 0 && label != 1) continue;
    labels_.push_back(static_cast<std::uint8_t>(label));
    for (std::size_t j = 0; j < shape_.numbers; ++j) {
      cells_.push_back(static_cast<std::int32_t>(std::clamp(columns[1 + j][i], -kOne, kOne)));
    }
    std::size_t first = 1 + shape_.numbers;
    for (std::size_t c = 0; c < shape_.categories.size(); ++c) {
      const std::int64_t place = columns[1 + shape_.numbers + c][i];
      const bool listed =
          std::cmp_greater_equal(place, 0) && std::cmp_less(place, shape_.categories[c]);
      cells_.push_back(listed ? static_cast<std::int32_t>(first) + static_cast<std::int32_t>(place)
                              : -1);
      first += shape_.categories[c];
    }
  }
}

std::span<const std::int32_t> LogisticRows::row(std::size_t i) const {
  const std::size_t width = shape_.numbers + shape_.categories.size();
  return std::span(cells_).subspan(i * width, width);
}

std::int64_t LogisticRows::residual(std::size_t i, std::span<const double> weights) const {
  const auto cells = row(i);
  double score = weights[0];
  for (std::size_t j = 0; j < shape_.numbers; ++j) {
    score += weights[1 + j] * (static_cast<double>(cells[j]) / static_cast<double>(kOne));
  }
  for (const std::int32_t place : cells.subspan(shape_.numbers)) {
    if (place >= 0) score += weights[static_cast<std::size_t>(place)];
  }
  const double residual = 1 / (1 + std::exp(-score)) - labels_[i];
  if (std::isnan(residual)) return 0;
  // Conversion truncates toward zero.
  return static_cast<std::int64_t>(std::clamp(residual, -1.0, 1.0) * static_cast<double>(kOne));
}

std::vector<int128> LogisticRows::gradient(std::span<const double> weights, int places) const {
  std::vector<int128> sum(shape_.terms(), 0);
  const std::int64_t divisor = std::int64_t{1} << (2 * kPlaces - places);
  for (std::size_t i = 0; i < size(); ++i) {
    const std::int64_t factor = residual(i, weights);
    const std::int64_t whole = factor * kOne / divisor;  // of the terms that are 1
    const auto cells = row(i);
    sum[0] += whole;
    for (std::size_t j = 0; j < shape_.numbers; ++j) sum[1 + j] += factor * cells[j] / divisor;
    for (const std::int32_t place : cells.subspan(shape_.numbers)) {
      if (place >= 0) sum[static_cast<std::size_t>(place)] += whole;
    }
  }
  return sum;
}

}  // namespace tacit::learn

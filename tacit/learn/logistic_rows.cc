#include "tacit/learn/logistic_rows.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tacit::learn {
namespace {

constexpr std::int64_t kOne = std::int64_t{1} << LogisticRows::kPlaces;

// A number of [-1, 1] in steps of 2^-kPlaces; 0 for what is no number.
std::int64_t in_steps(double value) {
  if (std::isnan(value)) return 0;
  // Conversion truncates toward zero.
  return static_cast<std::int64_t>(std::clamp(value, -1.0, 1.0) * static_cast<double>(kOne));
}

// Of one score: the log odds of class 1.
std::int64_t residual_of_two(double score, std::uint16_t label) {
  return in_steps(1 / (1 + std::exp(-score)) - label);
}

// Of a score for each class. The shares of classes never sum to more than one.
void residuals_of_many(std::span<const double> scores, std::uint16_t label,
                       std::span<std::int64_t> out) {
  const double most = *std::ranges::max_element(scores);
  double total = 0;
  for (const double score : scores) total += std::exp(score - most);
  std::int64_t left = kOne;
  for (std::size_t c = 0; c < scores.size(); ++c) {
    const std::int64_t share =
        std::clamp(in_steps(std::exp(scores[c] - most) / total), std::int64_t{0}, left);
    left -= share;
    out[c] = share - (c == label ? kOne : 0);
  }
}

}  // namespace

std::size_t RowShape::terms() const {
  std::size_t out = 1 + numbers;
  for (const std::size_t values : categories) out += values;
  return out;
}

void LogisticRows::add(const IntegerColumns& columns) {
  const std::size_t rows = columns.front().size();
  for (std::size_t i = 0; i < rows; ++i) {
    const std::int64_t label = columns.front()[i];
    if (label < 0 || std::cmp_greater_equal(label, shape_.classes)) continue;
    labels_.push_back(static_cast<std::uint16_t>(label));
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

void LogisticRows::clear() {
  cells_.clear();
  labels_.clear();
}

std::size_t LogisticRows::bytes() const {
  return cells_.size() * sizeof(cells_.front()) + labels_.size() * sizeof(labels_.front());
}

std::span<const std::int32_t> LogisticRows::row(std::size_t i) const {
  const std::size_t width = shape_.numbers + shape_.categories.size();
  return std::span(cells_).subspan(i * width, width);
}

double LogisticRows::score(std::size_t i, std::span<const double> weights) const {
  const auto cells = row(i);
  double score = weights[0];
  for (std::size_t j = 0; j < shape_.numbers; ++j) {
    score += weights[1 + j] * (static_cast<double>(cells[j]) / static_cast<double>(kOne));
  }
  for (const std::int32_t place : cells.subspan(shape_.numbers)) {
    if (place >= 0) score += weights[static_cast<std::size_t>(place)];
  }
  return score;
}

void LogisticRows::find_residuals(std::size_t i, std::span<const double> weights,
                                  Residuals& out) const {
  const std::size_t terms = weights.size() / out.scores.size();
  for (std::size_t c = 0; c < out.scores.size(); ++c) {
    out.scores[c] = score(i, weights.subspan(c * terms, terms));
  }
  if (shape_.classes == 2) {
    out.steps[0] = residual_of_two(out.scores[0], labels_[i]);
  } else {
    residuals_of_many(out.scores, labels_[i], out.steps);
  }
}

void LogisticRows::add_gradient(std::span<const double> weights, int places,
                                std::span<int128> sum) const {
  const std::int64_t divisor = std::int64_t{1} << (2 * kPlaces - places);
  const std::size_t terms = shape_.terms();
  Residuals residuals{.scores = std::vector<double>(shape_.scores()),
                      .steps = std::vector<std::int64_t>(shape_.scores())};
  for (std::size_t i = 0; i < size(); ++i) {
    find_residuals(i, weights, residuals);
    const auto cells = row(i);
    for (std::size_t c = 0; c < residuals.steps.size(); ++c) {
      const std::int64_t factor = residuals.steps[c];
      const std::int64_t whole = factor * kOne / divisor;  // of the terms that are 1
      const std::span<int128> of_score = sum.subspan(c * terms, terms);
      of_score[0] += whole;
      for (std::size_t j = 0; j < shape_.numbers; ++j) {
        of_score[1 + j] += factor * cells[j] / divisor;
      }
      for (const std::int32_t place : cells.subspan(shape_.numbers)) {
        if (place >= 0) of_score[static_cast<std::size_t>(place)] += whole;
      }
    }
  }
}

}  // namespace tacit::learn

#include "tacit/learn/logistic_rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace tacit::learn {
namespace {

constexpr std::int64_t kOne = std::int64_t{1} << LogisticRows::kPlaces;
constexpr int kPlaces = 26;

const RowShape kShape{.numbers = 2, .categories = {3, 2}};
const RowShape kOfFour{.numbers = 2, .categories = {3, 2}, .classes = 4};

LogisticRows rows_of(const RowShape& shape, const IntegerColumns& columns) {
  LogisticRows out(shape);
  out.add(columns);
  return out;
}

std::vector<int128> gradient_of(const RowShape& shape, const LogisticRows& rows,
                                const std::vector<double>& weights) {
  std::vector<int128> sum(shape.weights(), 0);
  rows.add_gradient(weights, kPlaces, sum);
  return sum;
}

// A row as columns: label, two numbers, two categories.
IntegerColumns columns(const std::vector<std::vector<std::int64_t>>& rows) {
  IntegerColumns out(5);
  for (const auto& row : rows) {
    for (std::size_t j = 0; j < row.size(); ++j) out[j].push_back(row[j]);
  }
  return out;
}

struct Norms {
  double l1 = 0;
  double squared_l2 = 0;
};

Norms norms_of(const std::vector<int128>& gradient) {
  Norms out;
  for (const int128 part : gradient) {
    const double length = std::abs(std::ldexp(static_cast<double>(part), -kPlaces));
    out.l1 += length;
    out.squared_l2 += length * length;
  }
  return out;
}

TEST(LogisticRows, SumTheGradientOfTheLoss) {
  const LogisticRows rows =
      rows_of(kShape, columns({{1, kOne / 2, -kOne, 0, 1}, {0, kOne, 0, 2, -1}}));
  ASSERT_EQ(rows.size(), 2U);
  const std::vector<double> weights{0.3, -1, 2, 0.5, 9, -0.25, 9, 0.125};
  const double first = 1 / (1 + std::exp(-(0.3 - 0.5 - 2 + 0.5 + 0.125))) - 1;
  const double second = 1 / (1 + std::exp(-(0.3 - 1 - 0.25)));
  const std::vector<double> expected{
      first + second, first / 2 + second, -first, first, 0, second, 0, first};
  const auto gradient = gradient_of(kShape, rows, weights);
  ASSERT_EQ(gradient.size(), expected.size());
  for (std::size_t j = 0; j < expected.size(); ++j) {
    EXPECT_NEAR(std::ldexp(static_cast<double>(gradient[j]), -kPlaces), expected[j], 1e-5) << j;
  }
}

TEST(LogisticRows, LeaveOutRowsOfNoLabel) {
  EXPECT_EQ(rows_of(kShape, columns({{-1, 0, 0, 0, 0}, {2, 0, 0, 0, 0}})).size(), 0U);
  EXPECT_EQ(rows_of(kOfFour, columns({{-1, 0, 0, 0, 0}, {4, 0, 0, 0, 0}})).size(), 0U);
}

// Claim 3: whatever the engine gives and wherever the weights are, one row moves the sum by no
// more.
void check_claim(const RowShape& shape) {
  std::mt19937_64 generator(7);
  std::uniform_int_distribution<std::int64_t> wild(std::numeric_limits<std::int64_t>::min(),
                                                   std::numeric_limits<std::int64_t>::max());
  std::uniform_int_distribution<std::int64_t> tame(-kOne, kOne);
  std::uniform_int_distribution<std::int64_t> place(-1, 3);
  std::normal_distribution<double> normal(0, 3);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const auto claimed = static_cast<double>(shape.moved());
  double longest = 0;
  for (int i = 0; i < 20'000; ++i) {
    const auto draw = [&](auto& usual, int often) {
      return i % often == 0 ? wild(generator) : usual(generator);
    };
    const auto label = static_cast<std::int64_t>(static_cast<std::size_t>(i) % shape.classes);
    const LogisticRows row = rows_of(
        shape, columns({{label, draw(tame, 3), draw(tame, 3), draw(place, 4), draw(place, 4)}}));
    std::vector<double> weights(shape.weights());
    for (double& weight : weights) weight = normal(generator) * (i % 5 == 0 ? 1e300 : 1);
    if (i % 7 == 0) weights[static_cast<std::size_t>(i) % weights.size()] = kInfinity;
    if (i % 11 == 0) weights[0] = std::nan("");
    const Norms norms = norms_of(gradient_of(shape, row, weights));
    ASSERT_LE(norms.squared_l2, claimed);
    ASSERT_LE(norms.l1, claimed);
    longest = std::max(longest, norms.squared_l2);
  }
  // The claim is met, so a smaller one would have been found out.
  EXPECT_GT(longest, 0.99 * claimed);
}

TEST(LogisticRows, EachMovesTheSumByNoMoreThanClaimed) { check_claim(kShape); }

TEST(LogisticRows, EachOfManyClassesMovesTheSumsByNoMoreThanClaimed) { check_claim(kOfFour); }

// The gradient of -log(softmax(scores)[label]), by differences.
TEST(LogisticRows, SumTheGradientOfTheLossOfManyClasses) {
  const std::vector<std::vector<std::int64_t>> private_rows{{1, kOne / 2, -kOne, 0, 1},
                                                            {3, kOne, 0, 2, -1}};
  const LogisticRows rows = rows_of(kOfFour, columns(private_rows));
  std::vector<double> weights(kOfFour.weights());
  for (std::size_t j = 0; j < weights.size(); ++j) weights[j] = std::sin(static_cast<double>(j));
  const std::vector<std::vector<double>> terms{{1, 0.5, -1, 1, 0, 0, 0, 1},
                                               {1, 1, 0, 0, 0, 1, 0, 0}};
  const auto loss = [&](const std::vector<double>& at) {
    double out = 0;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      std::vector<double> scores(4, 0);
      for (std::size_t j = 0; j < at.size(); ++j) scores[j / 8] += at[j] * terms[i][j % 8];
      double all = 0;
      for (const double score : scores) all += std::exp(score);
      out += std::log(all) - scores[static_cast<std::size_t>(private_rows[i][0])];
    }
    return out;
  };
  const auto gradient = gradient_of(kOfFour, rows, weights);
  for (std::size_t j = 0; j < weights.size(); ++j) {
    std::vector<double> above = weights;
    std::vector<double> below = weights;
    above[j] += 1e-5;
    below[j] -= 1e-5;
    EXPECT_NEAR(std::ldexp(static_cast<double>(gradient[j]), -kPlaces),
                (loss(above) - loss(below)) / 2e-5, 1e-5)
        << j;
  }
}

TEST(LogisticRows, AddUpExactly) {
  const std::vector<std::vector<std::int64_t>> rows{
      {1, 77, -kOne, 0, 1}, {0, 3 * kOne, 5, 2, 0}, {1, -12345, 54321, 1, -1}};
  const std::vector<double> weights{0.3, -1, 2, 0.5, 9, -0.25, 9, 0.125};
  std::vector<int128> sum(kShape.terms(), 0);
  for (const auto& row : rows) {
    const auto one = gradient_of(kShape, rows_of(kShape, columns({row})), weights);
    for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += one[j];
  }
  EXPECT_EQ(gradient_of(kShape, rows_of(kShape, columns(rows)), weights), sum);
}

}  // namespace
}  // namespace tacit::learn

#include "tacit/attacks/least_squares.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace tacit::attacks {
namespace {

// Which sums each person is in, a bit each.
using Bits = std::vector<std::uint64_t>;

std::vector<Bits> sums_of_people(const SubsetSums& released) {
  std::vector<Bits> out(released.people, Bits((released.sums.size() + 63) / 64, 0));
  for (std::size_t i = 0; i < released.members.size(); ++i) {
    for (const std::uint32_t person : released.members[i]) {
      out[person][i / 64] |= std::uint64_t{1} << (i % 64);
    }
  }
  return out;
}

double common(const Bits& one, const Bits& other) {
  int count = 0;
  for (std::size_t i = 0; i < one.size(); ++i) count += std::popcount(one[i] & other[i]);
  return count;
}

// The lower triangle of a symmetric matrix, row by row.
class Triangle {
 public:
  explicit Triangle(std::size_t size) : values_(size * (size + 1) / 2) {}
  double* row(std::size_t i) { return values_.data() + (i * (i + 1) / 2); }

 private:
  std::vector<double> values_;
};

// In place: the Cholesky factor of a positive definite matrix. A row takes as many steps as the
// square of its number.
void factor(Triangle& matrix, std::size_t size, const Progress& progress) {
  for (std::size_t i = 0; i < size; ++i) {
    double* const row = matrix.row(i);
    for (std::size_t j = 0; j <= i; ++j) {
      const double* const other = matrix.row(j);
      double sum = row[j];
      for (std::size_t k = 0; k < j; ++k) sum -= row[k] * other[k];
      row[j] = i == j ? std::sqrt(sum) : sum / other[j];
    }
    const std::uint64_t rows = i + 1;
    if (progress) progress(rows * rows * rows, std::uint64_t{size} * size * size);
  }
}

// Solves L L' x = y, in place of y.
void solve(Triangle& lower, std::vector<double>& y) {
  for (std::size_t i = 0; i < y.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) y[i] -= lower.row(i)[k] * y[k];
    y[i] /= lower.row(i)[i];
  }
  for (std::size_t i = y.size(); i-- > 0;) {
    y[i] /= lower.row(i)[i];
    for (std::size_t k = 0; k < i; ++k) y[k] -= lower.row(i)[k] * y[i];
  }
}

}  // namespace

Result<std::vector<double>> least_squares(const SubsetSums& released, const Progress& progress) {
  TACIT_RETURN_IF_ERROR(check(released));
  const std::size_t people = released.people;
  const std::vector<Bits> sums = sums_of_people(released);
  // A little ridge towards one half, for people whom the sums do not tell apart.
  constexpr double kRidge = 1e-6;
  Triangle matrix(people);
  std::vector<double> values(people, 0);
  for (std::size_t i = 0; i < people; ++i) {
    for (std::size_t j = 0; j <= i; ++j) matrix.row(i)[j] = common(sums[i], sums[j]);
    matrix.row(i)[i] += kRidge;
  }
  for (std::size_t i = 0; i < released.sums.size(); ++i) {
    const std::vector<std::uint32_t>& members = released.members[i];
    const double beyond_half = released.sums[i] - (0.5 * static_cast<double>(members.size()));
    for (const std::uint32_t person : members) values[person] += beyond_half;
  }
  factor(matrix, people, progress);
  solve(matrix, values);
  for (double& value : values) value = std::clamp(value + 0.5, 0.0, 1.0);
  return values;
}

}  // namespace tacit::attacks

#include "tacit/learn/symmetric_matrix.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tacit::learn {
namespace {

constexpr int kMostSweeps = 60;

double off_diagonal(const SymmetricMatrix& matrix) {
  double sum = 0;
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) sum += matrix.at(i, j) * matrix.at(i, j);
  }
  return sum;
}

// One rotation that makes the element (p, q) vanish; `basis` holds vectors as columns of rows.
void rotate(SymmetricMatrix& matrix, std::vector<std::vector<double>>& basis, std::size_t p,
            std::size_t q) {
  const double apart = matrix.at(p, q);
  if (apart == 0) return;
  const double theta = (matrix.at(q, q) - matrix.at(p, p)) / (2 * apart);
  const double t = std::copysign(1 / (std::abs(theta) + std::sqrt(theta * theta + 1)), theta);
  const double c = 1 / std::sqrt(t * t + 1);
  const double s = t * c;
  matrix.set(p, p, matrix.at(p, p) - t * apart);
  matrix.set(q, q, matrix.at(q, q) + t * apart);
  matrix.set(p, q, 0);
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    if (i == p || i == q) continue;
    const double ip = matrix.at(i, p);
    const double iq = matrix.at(i, q);
    matrix.set(i, p, c * ip - s * iq);
    matrix.set(i, q, s * ip + c * iq);
  }
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    const double ip = basis[p][i];
    const double iq = basis[q][i];
    basis[p][i] = c * ip - s * iq;
    basis[q][i] = s * ip + c * iq;
  }
}

}  // namespace

std::vector<double> SymmetricMatrix::times(const std::vector<double>& vector) const {
  std::vector<double> out(size_, 0);
  for (std::size_t i = 0; i < size_; ++i) {
    for (std::size_t j = 0; j < size_; ++j) out[i] += at(i, j) * vector[j];
  }
  return out;
}

Eigen eigen(const SymmetricMatrix& matrix) {
  SymmetricMatrix rotated = matrix;
  const std::size_t size = matrix.size();
  std::vector<std::vector<double>> basis(size, std::vector<double>(size, 0));
  double scale = 0;
  for (std::size_t i = 0; i < size; ++i) {
    basis[i][i] = 1;
    for (std::size_t j = 0; j < size; ++j) scale += matrix.at(i, j) * matrix.at(i, j);
  }
  for (int sweep = 0; sweep < kMostSweeps && off_diagonal(rotated) > 1e-30 * scale; ++sweep) {
    for (std::size_t p = 0; p < size; ++p) {
      for (std::size_t q = p + 1; q < size; ++q) rotate(rotated, basis, p, q);
    }
  }
  std::vector<std::size_t> order(size);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(
      order, [&](std::size_t a, std::size_t b) { return rotated.at(a, a) > rotated.at(b, b); });
  Eigen out;
  for (const std::size_t k : order) {
    out.values.push_back(rotated.at(k, k));
    out.vectors.push_back(basis[k]);
  }
  return out;
}

std::optional<LowerTriangle> cholesky(const SymmetricMatrix& matrix) {
  LowerTriangle out(matrix.size());
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double rest = matrix.at(i, j);
      for (std::size_t k = 0; k < j; ++k) rest -= out[i][k] * out[j][k];
      if (i == j && !(rest > 0)) return std::nullopt;
      out[i].push_back(i == j ? std::sqrt(rest) : rest / out[j][j]);
    }
  }
  return out;
}

std::vector<double> solve(const LowerTriangle& factor, std::vector<double> b) {
  for (std::size_t i = 0; i < factor.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) b[i] -= factor[i][k] * b[k];
    b[i] /= factor[i][i];
  }
  for (std::size_t i = factor.size(); i-- > 0;) {
    for (std::size_t k = i + 1; k < factor.size(); ++k) b[i] -= factor[k][i] * b[k];
    b[i] /= factor[i][i];
  }
  return b;
}

}  // namespace tacit::learn

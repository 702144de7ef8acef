#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace tacit::learn {

// Small dense symmetric matrices: second moments of a few dozen features.
class SymmetricMatrix {
 public:
  explicit SymmetricMatrix(std::size_t size) : size_(size), values_(size * size, 0) {}

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] double at(std::size_t i, std::size_t j) const { return values_[i * size_ + j]; }
  // Sets both halves.
  void set(std::size_t i, std::size_t j, double value) {
    values_[i * size_ + j] = value;
    values_[j * size_ + i] = value;
  }
  void add_to_diagonal(double value) {
    for (std::size_t i = 0; i < size_; ++i) set(i, i, at(i, i) + value);
  }
  [[nodiscard]] std::vector<double> times(const std::vector<double>& vector) const;

 private:
  std::size_t size_;
  std::vector<double> values_;
};

// values[k] with the unit vector vectors[k], the largest first. By Jacobi's rotations.
struct Eigen {
  std::vector<double> values;
  std::vector<std::vector<double>> vectors;
};
Eigen eigen(const SymmetricMatrix& matrix);

// The lower triangle of Cholesky's factor, row by row; nothing where the matrix is not positive
// definite.
using LowerTriangle = std::vector<std::vector<double>>;
std::optional<LowerTriangle> cholesky(const SymmetricMatrix& matrix);
// Solves L L' x = b.
std::vector<double> solve(const LowerTriangle& factor, std::vector<double> b);

}  // namespace tacit::learn

#include "tacit/learn/symmetric_matrix.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace tacit::learn {
namespace {

SymmetricMatrix random_matrix(std::size_t size, std::mt19937_64& generator, double shift = 0) {
  std::normal_distribution<double> normal;
  SymmetricMatrix out(size);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j <= i; ++j) out.set(i, j, normal(generator));
  }
  out.add_to_diagonal(shift);
  return out;
}

TEST(SymmetricMatrix, EigenvectorsAreWhatTheyAreCalled) {
  std::mt19937_64 generator(3);
  for (const std::size_t size : {1U, 2U, 5U, 20U}) {
    const SymmetricMatrix matrix = random_matrix(size, generator);
    const Eigen found = eigen(matrix);
    for (std::size_t k = 0; k < size; ++k) {
      const auto image = matrix.times(found.vectors[k]);
      double norm = 0;
      for (std::size_t i = 0; i < size; ++i) {
        EXPECT_NEAR(image[i], found.values[k] * found.vectors[k][i], 1e-10);
        norm += found.vectors[k][i] * found.vectors[k][i];
      }
      EXPECT_NEAR(norm, 1, 1e-12);
      if (k > 0) {
        EXPECT_GE(found.values[k - 1], found.values[k]);
      }
    }
  }
}

TEST(SymmetricMatrix, CholeskySolves) {
  std::mt19937_64 generator(4);
  const SymmetricMatrix matrix = random_matrix(6, generator, 20);
  const auto factor = cholesky(matrix);
  ASSERT_TRUE(factor);
  const std::vector<double> wanted{1, -2, 3, 0, 0.5, 7};
  const auto solved = solve(*factor, matrix.times(wanted));
  for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(solved[i], wanted[i], 1e-12);
}

TEST(SymmetricMatrix, WhatIsNotPositiveDefiniteHasNoFactor) {
  SymmetricMatrix matrix(2);
  matrix.set(0, 0, 1);
  matrix.set(1, 1, -1);
  EXPECT_FALSE(cholesky(matrix));
  EXPECT_FALSE(cholesky(SymmetricMatrix(2)));
}

}  // namespace
}  // namespace tacit::learn

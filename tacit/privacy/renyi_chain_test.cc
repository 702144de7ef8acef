#include "tacit/privacy/renyi_chain.h"

#include <gtest/gtest.h>

#include "tacit/privacy/renyi_leaves.h"

namespace tacit::renyi {
namespace {

const Divergence kGaussian = [](double order) { return of_zcdp(0.5, order); };

TEST(RenyiChain, OneStepIsThePart) { EXPECT_EQ(of_chain(kGaussian, 1)(3), kGaussian(3)); }

// Datasets n steps apart differ by n shifts, which the Gaussian answers with n^2 times its rho.
TEST(RenyiChain, CoversTheGaussianAtAFartherShift) {
  for (const double order : {1.1, 2.0, 5.0, 40.0}) {
    for (const unsigned steps : {2U, 3U, 4U, 7U}) {
      EXPECT_GE(of_chain(kGaussian, steps)(order), kGaussian(order) * steps * steps);
    }
  }
  // Two steps cost little more than they must at large orders.
  EXPECT_LE(of_chain(kGaussian, 2)(40), kGaussian(40) * 4 * 1.05);
}

// Laplace noise never pays more than its two pure epsilons.
TEST(RenyiChain, CoversLaplaceAtTwiceTheShift) {
  const Divergence laplace = [](double order) { return of_laplace(2, order); };
  for (const double order : {1.1, 2.0, 5.0, 40.0}) {
    EXPECT_GE(of_chain(laplace, 2)(order), of_laplace(1, order));
  }
}

// Mironov 2017, on groups: (2^c a, e)-RDP gives (a, 3^c e) for 2^c steps.
TEST(RenyiChain, FourStepsAsTheTheoremOnGroups) {
  EXPECT_NEAR(of_chain(kGaussian, 4)(2), 9 * kGaussian(8), 1e-9);
  EXPECT_NEAR(of_chain(kGaussian, 3)(2), 9 * kGaussian(8), 1e-9);
}

}  // namespace
}  // namespace tacit::renyi

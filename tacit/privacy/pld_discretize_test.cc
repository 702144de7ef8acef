#include "tacit/privacy/pld_discretize_internal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

namespace tacit::pld {
namespace {

double exact_curve(const DominatingPair& pair, double y) {
  const Tails tails = pair.at(y);
  return tails.p_above - (std::exp(y) * tails.q_above);
}

double lattice_curve(const Discretization& law, const std::vector<double>& mass, double infinite,
                     double y) {
  double sum = infinite;
  for (std::size_t k = 0; k < mass.size(); ++k) {
    if (law.loss(k) > y) sum += mass[k] * -std::expm1(y - law.loss(k));
  }
  return sum;
}

Discretization on_lattice(const DominatingPair& pair, double origin, double step,
                          double coarseness) {
  const Lattice lattice{origin, step};
  const auto first = static_cast<std::int64_t>(std::floor((-9 - origin) / step));
  const auto last = static_cast<std::int64_t>(std::ceil((9 - origin) / step));
  return discretize(pair, lattice, first, last, {.least_cost = coarseness * step * step});
}

std::vector<Pair> pairs() {
  const Pair gaussian = gaussian_pair(0.9);
  const Pair laplace = laplace_pair(0.8);
  return {gaussian,
          laplace,
          bounded_range_pair(1.3),
          approximate_pair(0.7, 0.01),
          randomized_response_pair(4, 0.7, 0.1),
          discrete_laplace_pair(2.5, 3),
          discrete_gaussian_pair(3, 2),
          poisson_pair(gaussian, 0.05, Direction::kRemove),
          poisson_pair(gaussian, 0.05, Direction::kAdd),
          poisson_pair(laplace, 0.4, Direction::kRemove),
          poisson_pair(approximate_pair(0.7, 0.01), 0.4, Direction::kRemove),
          poisson_pair(approximate_pair(0.7, 0.01), 0.4, Direction::kAdd)};
}

// Whatever the lattice (atoms on it or off it, cells whole or split), the curves lie in order.
TEST(PldDiscretize, TheCurveLiesBetweenTheTwoLatticeCurves) {
  for (const Pair& pair : pairs()) {
    for (const double step : {0.3, 0.0437, 0.01}) {
      for (const double coarseness : {0.0, 1e-2}) {
        const double origin = pair->anchors() ? pair->anchors()->origin : 0.0017;
        const Discretization law = on_lattice(*pair, origin, step, coarseness);
        for (double y = -4; y < 8; y += 0.00713) {
          const double exact = exact_curve(*pair, y);
          const double slack = 1e-11;
          ASSERT_GE(lattice_curve(law, law.upper, law.upper_infinite, y), exact - slack) << y;
          ASSERT_LE(lattice_curve(law, law.lower, law.lower_infinite, y), exact + slack) << y;
        }
      }
    }
  }
}

// The order is strict enough to catch a pair with a tenth less noise.
TEST(PldDiscretize, ATenthLessNoiseLeavesTheBracket) {
  const Discretization law = on_lattice(*gaussian_pair(0.9), 0, 0.01, 0);
  bool outside = false;
  for (double y = -4; y < 8; y += 0.01) {
    outside = outside || exact_curve(*gaussian_pair(0.81), y) >
                             lattice_curve(law, law.upper, law.upper_infinite, y);
  }
  EXPECT_TRUE(outside);
}

TEST(PldDiscretize, BothLawsKeepAllMassOfP) {
  for (const Pair& pair : pairs()) {
    const Discretization law = on_lattice(*pair, 0.001, 0.02, 1e-3);
    for (const std::vector<double>* mass : {&law.upper, &law.lower}) {
      const double infinite = mass == &law.upper ? law.upper_infinite : law.lower_infinite;
      EXPECT_NEAR(std::accumulate(mass->begin(), mass->end(), infinite), 1, 1e-9);
      for (const double one : *mass) EXPECT_GE(one, 0);
    }
  }
}

TEST(PldDiscretize, AtomsOnTheLatticeAreKeptExactly) {
  const Pair pair = approximate_pair(0.7, 0);
  const Discretization law = on_lattice(*pair, -0.7, 0.35, 0);
  for (double y = -0.69; y < 1; y += 0.01) {
    const double exact = exact_curve(*pair, y);
    EXPECT_NEAR(lattice_curve(law, law.upper, law.upper_infinite, y), exact, 1e-11);
    EXPECT_NEAR(lattice_curve(law, law.lower, law.lower_infinite, y), exact, 1e-11);
  }
}

// Halving the step divides the width of the bracket by four.
TEST(PldDiscretize, TheBracketNarrowsWithTheSquareOfTheStep) {
  for (const Pair& pair : {gaussian_pair(0.9), laplace_pair(0.8)}) {
    std::vector<double> widths;
    for (const double step : {0.125, 0.0625, 0.03125}) {
      const Discretization law = on_lattice(*pair, -1.25, step, 0);
      double width = 0;
      for (double y = -1; y < 1; y += 0.001) {
        width += lattice_curve(law, law.upper, law.upper_infinite, y) -
                 lattice_curve(law, law.lower, law.lower_infinite, y);
      }
      widths.push_back(width);
    }
    EXPECT_GT(widths[0] / widths[1], 3);
    EXPECT_GT(widths[1] / widths[2], 3);
  }
}

TEST(PldDiscretize, LogMgfOfAGaussian) {
  // Under P the loss is N(mu^2 / 2, mu^2).
  const double mu = 1 / 0.9;
  const Discretization law = on_lattice(*gaussian_pair(0.9), 0, 0.001, 0);
  for (const double tilt : {-1.0, 0.0, 0.5, 3.0}) {
    const double exact = (tilt + (tilt * tilt)) * mu * mu / 2;
    EXPECT_NEAR(log_mgf(law, tilt).upper, exact, 1e-5);
    EXPECT_NEAR(log_mgf(law, tilt).lower, exact, 1e-5);
  }
}

}  // namespace
}  // namespace tacit::pld

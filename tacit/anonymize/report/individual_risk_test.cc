#include "tacit/anonymize/report/individual_risk.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tacit::anonymize {
namespace {

// The expectation as it is defined: 1/F over the negative binomial law, term by term.
double by_definition(int rows, double p) {
  double probability = std::pow(p, rows);  // that F = rows
  double sum = 0;
  for (int f = rows; f < rows / p || probability > 1e-20; ++f) {
    sum += probability / f;
    probability *= static_cast<double>(f) / (f - rows + 1) * (1 - p);
  }
  return sum;
}

TEST(IndividualRisk, IsTheExpectationOfOneOverTheClassInThePopulation) {
  for (const double p : {0.001, 0.05, 0.3, 0.5, 0.51, 0.9, 0.999}) {
    for (const int rows : {1, 2, 3, 7, 39, 40, 41, 60}) {
      const double expected = by_definition(rows, p);
      // Below the smallest double the first term of the definition is lost.
      if (rows * std::log10(p) < -250) continue;
      EXPECT_NEAR(individual_risk(static_cast<std::uint64_t>(rows), p), expected, 1e-10 * expected)
          << rows << " rows, fraction " << p;
    }
  }
}

// Benedetti and Franconi give these three.
TEST(IndividualRisk, HasClosedFormsForSmallClasses) {
  for (const double p : {0.01, 0.1, 0.25}) {
    const double q = 1 - p;
    EXPECT_NEAR(individual_risk(1, p), p / q * -std::log(p), 1e-14);
    EXPECT_NEAR(individual_risk(2, p), p / (q * q) * (p * std::log(p) + q), 1e-14);
    EXPECT_NEAR(individual_risk(3, p),
                p / (2 * q * q * q) * (q * (3 * q - 2) - 2 * p * p * std::log(p)), 1e-13);
  }
}

TEST(IndividualRisk, OfTheWholePopulationIsOneOverTheClass) {
  for (const std::uint64_t rows : {1U, 2U, 50U, 1'000'000U}) {
    EXPECT_DOUBLE_EQ(individual_risk(rows, 1), 1 / static_cast<double>(rows));
  }
}

TEST(IndividualRisk, OfATable) {
  ClassSizes sizes;
  sizes.add(1, 3);
  sizes.add(4, 2);
  const IndividualRisks risks = individual_risks(sizes, 0.2);
  EXPECT_DOUBLE_EQ(risks.highest, individual_risk(1, 0.2));
  EXPECT_NEAR(risks.expected, 3 * individual_risk(1, 0.2) + 8 * individual_risk(4, 0.2), 1e-14);
  EXPECT_NEAR(risks.average, risks.expected / 11, 1e-15);
  EXPECT_EQ(individual_risks({}, 0.2).average, 0);
}

}  // namespace
}  // namespace tacit::anonymize

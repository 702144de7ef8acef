#include "tacit/learn/pate/vote_cost.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "tacit/learn/pate/vote_doubt.h"
#include "tacit/privacy/testing/shared_vectors.h"

namespace tacit::learn {
namespace {

using PateVectors = SharedVectors;

TEST_F(PateVectors, OfGaussianNoise) {
  const auto& vector = vectors_.at("pate_gnmax");
  for (const auto& pair : vector.at("rdp")) {
    const double order = pair.at(0);
    const double expected = pair.at(1);
    EXPECT_NEAR(gaussian_vote_cost(vector.at("log_q"), vector.at("sigma"), order) / expected, 1,
                1e-7);
  }
}

// Of two outcomes with these probabilities of the first.
double divergence(double p, double q, double order) {
  const double moment = std::pow(p, order) * std::pow(q, 1 - order) +
                        std::pow(1 - p, order) * std::pow(1 - q, 1 - order);
  return std::log(moment) / (order - 1);
}

// The first of two classes wins, `lead` votes ahead.
double wins_by_gaussian(double lead, double deviation) {
  return 1 - std::erfc(lead / (2 * deviation)) / 2;
}
double wins_by_laplace(double lead, double scale) {
  return 1 - (2 + lead / scale) * std::exp(-lead / scale) / 4;
}

constexpr std::array kOrders{1.5, 2.0, 8.0, 32.0};

TEST(VoteCost, IsAtLeastTheDivergenceFromNeighbours) {
  for (const double noise : {3.0, 10.0, 40.0}) {
    for (double lead = 4; lead < 8 * noise; lead += 3) {
      for (const double order : kOrders) {
        for (const double moved : {lead - 2, lead + 2}) {
          const double p = wins_by_gaussian(lead, noise);
          EXPECT_GE(gaussian_vote_cost(std::log1p(-p), noise, order) + 1e-12,
                    divergence(p, wins_by_gaussian(moved, noise), order))
              << noise << " " << lead << " " << order;
          const double r = wins_by_laplace(lead, noise);
          EXPECT_GE(pure_vote_cost(std::log1p(-r), 2 / noise, order) + 1e-12,
                    divergence(r, wins_by_laplace(moved, noise), order))
              << noise << " " << lead << " " << order;
        }
      }
    }
  }
}

TEST(VoteCost, IsNeverMoreThanWithoutLookingAtVotes) {
  for (double log_doubt = -600; log_doubt <= 1; log_doubt += 0.7) {
    EXPECT_LE(gaussian_vote_cost(log_doubt, 20, 30), 30.0 / 400);
    EXPECT_LE(pure_vote_cost(log_doubt, 0.5, 3), 3 * 0.125);
    EXPECT_LE(pure_vote_cost(log_doubt, 0.5, 30), 0.5);
  }
  EXPECT_EQ(gaussian_vote_cost(-0.1, 20, 30), 30.0 / 400);
}

TEST(VoteCost, VanishesWhereAllAgree) {
  EXPECT_LT(gaussian_vote_cost(-500, 40, 25), 1e-9);
  EXPECT_LT(pure_vote_cost(-500, 0.1, 25), 1e-9);
}

}  // namespace
}  // namespace tacit::learn

#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tacit/privacy/rdp.h"
#include "tacit/privacy/testing/costs.h"

namespace tacit::testing_costs {

inline Cost pure(std::string_view epsilon) { return leaf(cost::Pure{number(epsilon)}); }

inline Cost sampled_gaussian(std::string_view rate, std::string_view noise) {
  return Cost::poisson_sample(number(rate), leaf(cost::Gaussian{number(noise)})).value();
}

// The Rényi divergence at one order.
inline double at(const Cost& cost, double order) {
  const std::vector orders = {order};
  return renyi_bound(cost, orders).value().epsilons.front();
}

// Why the cost has no Rényi curve.
inline std::string refusal(const Cost& cost) {
  const std::vector orders = {2.0};
  const auto bound = renyi_bound(cost, orders);
  return bound ? "granted" : bound.error().what;
}

inline void expect_close_from_above(double bound, double truth, double relative = 1e-12) {
  EXPECT_GE(bound, truth * (1 - 1e-14));
  EXPECT_LE(bound, truth * (1 + relative));
}

}  // namespace tacit::testing_costs

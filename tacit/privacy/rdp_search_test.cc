#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tacit/privacy/rdp_search_internal.h"

namespace tacit::renyi {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(RdpSearch, FindsSmoothMinimaOnEverySide) {
  for (const double best : {1.0001, 1.5, 7.25, 900.0, 1e7}) {
    const auto function = [&](double order) {
      const double off = std::log((order - 1) / (best - 1));
      return 3 + off * off;
    };
    const Minimum found = minimize_over_orders(function, {});
    EXPECT_NEAR(found.order - 1, best - 1, 1e-4 * (best - 1));
    EXPECT_NEAR(found.value, 3, 1e-9);
  }
}

TEST(RdpSearch, FindsWherePartsAreInfinite) {
  const auto function = [](double order) { return order > 1.3 ? kInfinity : 2 / (order - 1); };
  EXPECT_NEAR(minimize_over_orders(function, {}).value, 2 / 0.3, 1e-3);
  EXPECT_EQ(minimize_over_orders(function, {1.3}).order, 1.3);
  EXPECT_EQ(minimize_over_orders([](double) { return kInfinity; }, {}).value, kInfinity);
}

TEST(RdpSearch, TriesTheIntegersBeside) {
  const auto kinked = [](double order) { return std::abs(order - 5) + 1; };
  EXPECT_EQ(minimize_over_orders(kinked, {}).order, 5);
}

TEST(RdpSearch, EndsOnFlatFunctions) {
  EXPECT_EQ(minimize_over_orders([](double) { return 0.0; }, {}).value, 0);
  EXPECT_NEAR(minimize_over_orders([](double order) { return 1 / order; }, {}).value, 0, 1e-9);
}

TEST(RdpSearch, AsksFewTimes) {
  int asked = 0;
  minimize_over_orders(
      [&](double order) {
        ++asked;
        return 0.1 * order + 10 / (order - 1);
      },
      {});
  EXPECT_LE(asked, 30);
}

}  // namespace
}  // namespace tacit::renyi

#include "tacit/privacy/renyi_chain.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include "tacit/privacy/renyi_rounding_internal.h"

namespace tacit::renyi {
namespace {

// Hölder exponents to try; each gives a true bound. At 2 the orders asked for stay smallest, and
// with larger ones the factor of the first leg does.
constexpr std::array kExponents = {1.25, 1.5, 1.75, 2.0, 2.25, 2.5, 3.0, 4.0, 6.0};

// D_a(P || R) <= (a - 1/p) / (a - 1) D_{pa}(P || Q) + D_{(pa - 1) / (p - 1)}(Q || R).
double triangle(const Divergence& one, double order) {
  double best = kInfinity;
  for (const double p : kExponents) {
    const double factor = up((order - 1 / p) / (order - 1), 8);
    const double first_leg = one(up(p * order, 1));
    const double second_leg = one(up((p * order - 1) / (p - 1), 8));
    best = std::min(best, sum_up(product_up(factor, first_leg), second_leg));
  }
  return best;
}

}  // namespace

Divergence of_chain(Divergence one, std::uint64_t steps) {
  if (steps == 1) return one;
  if (steps == 2) {
    return [one = std::move(one)](double order) { return triangle(one, order); };
  }
  const auto doublings = static_cast<int>(std::bit_width(steps - 1));
  return [one = std::move(one), doublings](double order) {
    return product_up(std::pow(3.0, doublings), one(std::ldexp(std::max(order, 2.0), doublings)));
  };
}

}  // namespace tacit::renyi

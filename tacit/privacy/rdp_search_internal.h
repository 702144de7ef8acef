#pragma once

#include <functional>
#include <vector>

namespace tacit::renyi {

struct Minimum {
  double order;
  double value;
};

// The least value found of a function of the order above 1. What conversions minimize is, as a
// function of order - 1, convex or a convex function over its argument (rdp_proof.md, "the best
// order"), so going downhill finds it; the integers beside the minimum and the `landmarks` are
// tried too, because some curves are tight only there. Where the function is infinite for all
// orders the value is infinity.
Minimum minimize_over_orders(const std::function<double(double order)>& function,
                             const std::vector<double>& landmarks);

}  // namespace tacit::renyi

#include "tacit/learn/pate/unsanitised.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tacit/learn/pate/vote_cost.h"
#include "tacit/privacy/rdp.h"

namespace tacit::learn {
namespace {

// A larger doubt is a bound too; this keeps the logarithm finite.
double log_of(double doubt) {
  return std::log(std::max(doubt, std::numeric_limits<double>::min()));
}

}  // namespace

void UnsanitisedCost::add_gaussian(double doubt, double deviation) {
  gaussian_.push_back({.log_doubt = log_of(doubt), .noise = deviation});
}

void UnsanitisedCost::add_laplace(double doubt, double scale) {
  laplace_.push_back({.log_doubt = log_of(doubt), .noise = scale});
}

double UnsanitisedCost::divergence(double order) const {
  double sum = 0;
  for (const Vote& vote : gaussian_) sum += gaussian_vote_cost(vote.log_doubt, vote.noise, order);
  for (const Vote& vote : laplace_) sum += pure_vote_cost(vote.log_doubt, 2 / vote.noise, order);
  return sum;
}

Result<double> UnsanitisedCost::epsilon(double delta) const {
  if (!(delta > 0) || delta >= 1) {
    return bad_input(fmt::format("a delta of {} is not between 0 and 1", delta), "delta",
                     "10^-5 is usual");
  }
  // Any order gives a bound. These lie 3% apart, from 1 + 1/64 to 4100.
  constexpr int kOrders = 423;
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kOrders; ++i) {
    const double order = 1 + (std::pow(1.03, i) / 64);
    least = std::min(least, rdp_to_epsilon(divergence(order), order, delta));
  }
  return least;
}

}  // namespace tacit::learn

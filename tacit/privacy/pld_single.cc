#include "tacit/privacy/pld_single_internal.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace tacit::pld {
namespace {

constexpr double kLargestEpsilon = 1e9;

// e^epsilon Q, without overflow where Q is small.
double scaled(double epsilon, double q) { return q > 0 ? std::exp(epsilon + std::log(q)) : 0; }

// How far the losses of a pair may be off: its atoms, and the end of its support.
double loss_error(const DominatingPair& pair, double epsilon) {
  return 4 * pair.tail_error() * std::max(1.0, epsilon);
}

// Where `bound`, which falls with epsilon, comes down to delta: `low` is above, `high` is not.
struct Crossing {
  double low = 0;
  double high = 0;
};

template <class Bound>
Crossing crossing(Bound bound, double delta) {
  double low = 0;
  double high = 1;
  while (high < kLargestEpsilon && bound(high) > delta) low = std::exchange(high, 2 * high);
  if (bound(high) > delta) return {high, std::numeric_limits<double>::infinity()};
  constexpr int kHalvings = 80;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (bound(middle) > delta ? low : high) = middle;
  }
  return {low, high};
}

}  // namespace

double single_delta_upper(const DominatingPair& pair, double epsilon) {
  const double before = epsilon - loss_error(pair, epsilon);
  const Tails tails = pair.at(before);
  const double error = 8 * pair.tail_error() * tails.p_above;
  const double delta = std::max(tails.p_above - scaled(before, tails.q_above), 0.0) + error;
  return delta < 1 ? delta : 1;
}

double single_delta_lower(const DominatingPair& pair, double epsilon) {
  const double behind = epsilon + loss_error(pair, epsilon);
  const Tails tails = pair.at(behind);
  const double certain = pair.infinite_mass() * (1 - pair.tail_error());
  // A probability too small for a double says nothing of e^epsilon times itself.
  if (tails.q_above < std::numeric_limits<double>::min()) return certain;
  const double error = 8 * pair.tail_error() * tails.p_above;
  const double delta = tails.p_above - scaled(behind, tails.q_above) - error;
  return delta > certain ? delta : certain;
}

double single_epsilon_upper(const DominatingPair& pair, double delta) {
  const auto bound = [&](double epsilon) { return single_delta_upper(pair, epsilon); };
  return bound(0) <= delta ? 0 : crossing(bound, delta).high;
}

double single_epsilon_lower(const DominatingPair& pair, double delta) {
  if (pair.infinite_mass() * (1 - pair.tail_error()) > delta) {
    return std::numeric_limits<double>::infinity();
  }
  const auto bound = [&](double epsilon) { return single_delta_lower(pair, epsilon); };
  return bound(0) <= delta ? 0 : crossing(bound, delta).low;
}

}  // namespace tacit::pld

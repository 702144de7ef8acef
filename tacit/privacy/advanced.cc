#include "tacit/privacy/advanced.h"

#include <cmath>

#include "tacit/privacy/enclosure_internal.h"
#include "tacit/privacy/events_search_internal.h"

namespace tacit {
namespace {

using Events = std::vector<ApproximateEvent>;

// The mean of the privacy loss, at most; and the sum of squares that Azuma's inequality asks for.
struct Drift {
  Enclosure mean;
  Enclosure squares;
};

Drift drift(const Events& events) {
  Drift sum;
  for (const ApproximateEvent& event : events) {
    const Enclosure epsilon(event.epsilon);
    const Enclosure times(event.times);
    sum.mean = sum.mean + times * epsilon * expm1(epsilon);
    sum.squares = sum.squares + times * square(epsilon);
  }
  return sum;
}

double advanced_epsilon_of(const Events& events, const Rational& delta) {
  const Rational slack = delta - basic_sum(events).delta;
  if (slack.sign() <= 0) return rounding::kInfinity;
  const auto [mean, squares] = drift(events);
  return (mean + sqrt(Enclosure(2) * squares * -log(Enclosure(slack)))).upper;
}

// P[loss > epsilon] <= exp(-(epsilon - mean)^2 / (2 squares)).
double advanced_delta_of(const Events& events, double epsilon) {
  const auto [mean, squares] = drift(events);
  const Rational own = basic_sum(events).delta;
  const double beyond = (Enclosure(epsilon) - mean).lower;
  if (squares.upper == 0) return own.upper();
  if (!(beyond > 0)) return 1;
  const Enclosure tail = exp(-(square(Enclosure(beyond)) / (Enclosure(2) * squares.upper)));
  return std::min(1.0, (Enclosure(own) + tail).upper);
}

}  // namespace

Result<double> basic_epsilon(const Cost& cost, double delta) {
  const Rational target = Rational::exactly(delta).value();
  return least_over_curve_deltas(cost, target, kEpsilonHalvings, [&](const Events& events) {
    const ApproximateEvent sum = basic_sum(events);
    return sum.delta <= target ? sum.epsilon.upper() : rounding::kInfinity;
  });
}

Result<double> basic_delta(const Cost& cost, double epsilon) {
  const Rational target = Rational::exactly(epsilon).value();
  const Rational half = Rational::power_of_two(-1);
  return least_over_curve_deltas(cost, half, kDeltaHalvings, [&](const Events& events) {
    const ApproximateEvent sum = basic_sum(events);
    return sum.epsilon <= target ? sum.delta.upper() : 1.0;
  });
}

Result<double> advanced_epsilon(const Cost& cost, double delta) {
  const Rational target = Rational::exactly(delta).value();
  return least_over_curve_deltas(cost, target, kEpsilonHalvings, [&](const Events& events) {
    return advanced_epsilon_of(events, target);
  });
}

Result<double> advanced_delta(const Cost& cost, double epsilon) {
  const Rational half = Rational::power_of_two(-1);
  return least_over_curve_deltas(cost, half, kDeltaHalvings, [&](const Events& events) {
    return advanced_delta_of(events, epsilon);
  });
}

}  // namespace tacit

#include "tacit/privacy/optimal_composition.h"

#include <cmath>
#include <limits>
#include <map>

#include "tacit/privacy/accountant_search_internal.h"
#include "tacit/privacy/enclosure_internal.h"
#include "tacit/privacy/events_search_internal.h"

namespace tacit {
namespace {

using Events = std::vector<ApproximateEvent>;

constexpr double kUnit = 0x1p-53;
constexpr std::size_t kMostOutcomes = std::size_t{1} << 20U;
// Outcomes less likely than this, beside the likeliest, are counted as one lump that reveals all.
constexpr double kNegligible = 1e-290;

struct Outcome {
  double loss;
  double mass;
};

// The privacy loss of the product of worst mechanisms. Every mass is off by at most `error`,
// relative; every loss is rounded up; `lump` bounds the mass left out; `revealed` is
// 1 - prod(1 - delta_i).
struct WorstCase {
  std::vector<Outcome> outcomes{{0, 1}};
  double error = 0;
  double lump = 0;
  double revealed = 0;
};

std::unexpected<Error> too_many() {
  return bad_input(
      "the optimal composition of so many different epsilons is out of reach: it is a "
      "#P-complete problem",
      "optimal accountant", "ask the pld accountant");
}

// How often `times` answers of odds e^epsilon lie, as losses (times - 2 lies) epsilon. Masses are
// found by the recurrence from the mode outward and divided by their sum, so no large factorial is
// ever rounded. Each step multiplies by a ratio known to four units, relative.
Result<std::vector<Outcome>> lies(double epsilon, double times) {
  const double odds = std::exp(-epsilon);
  const double mode = std::floor((times + 1) * (odds / (1 + odds)));
  std::vector<Outcome> outcomes;
  double sum = 0;
  const auto add = [&](double count, double weight) {
    outcomes.push_back({(times - 2 * count) * epsilon, weight});
    sum += weight;
  };
  double weight = 1;
  for (std::size_t above = 0; weight > kNegligible; ++above) {
    const double lied = mode + static_cast<double>(above);
    if (lied > times) break;
    if (outcomes.size() > kMostOutcomes) return too_many();
    add(lied, weight);
    weight *= (times - lied) / (lied + 1) * odds;
  }
  weight = 1;
  for (std::size_t below = 1; static_cast<double>(below) <= mode; ++below) {
    const double lied = mode - static_cast<double>(below);
    weight *= (lied + 1) / ((times - lied) * odds);
    if (!(weight > kNegligible)) break;
    if (outcomes.size() > kMostOutcomes) return too_many();
    add(lied, weight);
  }
  for (Outcome& outcome : outcomes) outcome.mass /= sum;
  return outcomes;
}

Result<void> compose(WorstCase& worst, double epsilon, double times) {
  TACIT_ASSIGN_OR_RETURN(const auto factor, lies(epsilon, times));
  if (worst.outcomes.size() * factor.size() > kMostOutcomes) return too_many();
  std::vector<Outcome> product;
  product.reserve(worst.outcomes.size() * factor.size());
  for (const Outcome& a : worst.outcomes) {
    for (const Outcome& b : factor) product.push_back({a.loss + b.loss, a.mass * b.mass});
  }
  worst.outcomes = std::move(product);
  // A term n steps from the mode carries 5n units, their sum no more, and the sum's own rounding
  // one unit a term.
  worst.error += 16 * kUnit * static_cast<double>(factor.size() + 16);
  if (static_cast<double>(factor.size()) < times + 1) worst.lump += times * kNegligible;
  return {};
}

Result<WorstCase> worst_case(const Events& events) {
  std::map<double, Rational> times_by_epsilon;
  Enclosure log_kept;
  for (const ApproximateEvent& event : events) {
    if (event.epsilon.sign() > 0) {
      Rational& times = times_by_epsilon[event.epsilon.upper()];
      times = times + event.times;
    }
    if (event.delta.sign() > 0) {
      log_kept = log_kept + Enclosure(event.times) * log1p(-Enclosure(event.delta));
    }
  }
  WorstCase worst;
  if (log_kept.lower < 0) worst.revealed = std::clamp((-expm1(log_kept)).upper, 0.0, 1.0);
  double largest_loss = 0;
  for (const auto& [epsilon, times] : times_by_epsilon) {
    if (times > Rational::power_of_two(50) || std::isinf(epsilon)) return too_many();
    TACIT_RETURN_IF_ERROR(compose(worst, epsilon, times.approximate()));
    largest_loss += epsilon * times.approximate();
  }
  // Each loss is a sum of at most as many rounded products as there are distinct epsilons.
  const double slack = largest_loss * 4 * kUnit * static_cast<double>(times_by_epsilon.size() + 1);
  for (Outcome& outcome : worst.outcomes) outcome.loss += slack;
  return worst;
}

double delta_at(const WorstCase& worst, double epsilon) {
  double sum = 0;
  for (const Outcome& outcome : worst.outcomes) {
    if (outcome.loss > epsilon) sum += outcome.mass * -std::expm1(epsilon - outcome.loss);
  }
  const double error = worst.error + 4 * kUnit * static_cast<double>(worst.outcomes.size() + 8);
  const double told = sum + (sum * error + worst.lump);
  if (told == 0 && worst.revealed == 0) return 0;
  const Enclosure kept = Enclosure(1) - worst.revealed;
  return std::min(1.0, (Enclosure(worst.revealed) + Enclosure(told) * kept).upper);
}

double epsilon_at(const WorstCase& worst, double delta) {
  if (worst.revealed > delta) return rounding::kInfinity;
  return least_where([&](double epsilon) { return delta_at(worst, epsilon) <= delta; }, 1e-11)
      .value_or(rounding::kInfinity);
}

// The curves may take all of delta but for what the rounding of 1 - prod(1 - delta_i) needs.
Rational almost(double delta) {
  return Rational::exactly(delta).value() * (Rational(1) - Rational::power_of_two(-30));
}

}  // namespace

Result<double> optimal_epsilon(const Cost& cost, double delta) {
  Result<void> status;
  const auto least =
      least_over_curve_deltas(cost, almost(delta), kEpsilonHalvings, [&](const Events& events) {
        const auto worst = worst_case(events);
        if (!worst) status = std::unexpected(worst.error());
        return worst ? epsilon_at(*worst, delta) : rounding::kInfinity;
      });
  if (least && std::isinf(*least)) TACIT_RETURN_IF_ERROR(status);
  return least;
}

Result<double> optimal_delta(const Cost& cost, double epsilon) {
  Result<void> status;
  const auto least = least_over_curve_deltas(
      cost, Rational::power_of_two(-1), kDeltaHalvings, [&](const Events& events) {
        const auto worst = worst_case(events);
        if (!worst) status = std::unexpected(worst.error());
        return worst ? delta_at(*worst, epsilon) : rounding::kInfinity;
      });
  if (least && std::isinf(*least)) TACIT_RETURN_IF_ERROR(status);
  return least;
}

}  // namespace tacit

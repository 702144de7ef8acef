#include "tacit/learn/pate/vote_doubt.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace tacit::learn {
namespace {

// More than 3 exp(-pi^2 s^2 / g^2) for noise of 2 steps and more, and than rounding errors.
constexpr double kRounding = 1 + 1e-12;

// The sum of `bound(lead)` over all classes but the one with the most votes.
template <class Bound>
double over_losers(std::span<const std::uint64_t> votes, const Bound& bound) {
  const auto winner = std::ranges::max_element(votes);
  double sum = 0;
  for (auto it = votes.begin(); it != votes.end(); ++it) {
    if (it != winner) sum += bound(static_cast<double>(*winner - *it));
  }
  return sum;
}

// P(X - Y >= lead) for Laplace noise on steps.
double overtakes(double lead, double scale, double step) {
  if (step == 0) return (2 + lead / scale) * std::exp(-lead / scale) / 4;
  const double rest = -std::expm1(-step / scale);  // 1 - p
  const double p = 1 - rest;
  const double steps = lead / step;
  const double middle = (1 + p * p) / (rest * (1 + p));
  return std::pow(rest / (1 + p), 2) * std::exp(-lead / scale) *
         ((steps + middle) / rest + p / (rest * rest));
}

}  // namespace

double gaussian_doubt(std::span<const std::uint64_t> votes, double deviation, double step) {
  return kRounding / 2 * over_losers(votes, [&](double lead) {
           return std::erfc((lead - step) / (2 * deviation));
         });
}

double laplace_doubt(std::span<const std::uint64_t> votes, double scale, double step) {
  return kRounding * over_losers(votes, [&](double lead) { return overtakes(lead, scale, step); });
}

double threshold_doubt(double distance, double deviation, double step) {
  return kRounding / 2 * std::erfc((distance - step) / (std::numbers::sqrt2 * deviation));
}

double confident_doubt(std::span<const std::uint64_t> votes, double deviation,
                       std::uint64_t threshold, double test_deviation, double step) {
  const double above =
      static_cast<double>(std::ranges::max(votes)) - static_cast<double>(threshold);
  const double of_none = threshold_doubt(-above, test_deviation, step);
  const double of_winner =
      threshold_doubt(above, test_deviation, step) + gaussian_doubt(votes, deviation, step);
  return std::min(of_none, of_winner);
}

}  // namespace tacit::learn

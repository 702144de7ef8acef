#include "tacit/learn/pate/vote_cost.h"

#include <algorithm>
#include <cmath>

namespace tacit::learn {
namespace {

double log_sum(double a, double b) {
  const double larger = std::max(a, b);
  return larger + std::log1p(std::exp(std::min(a, b) - larger));
}

}  // namespace

double gaussian_vote_cost(double log_doubt, double deviation, double order) {
  const double variance = deviation * deviation;
  const double always = order / variance;
  if (!(log_doubt < 0)) return always;
  const double m2 = deviation * std::sqrt(-log_doubt);
  const double m1 = m2 + 1;
  if (m2 <= 1 || order > m1) return always;
  const double e1 = m1 / variance;
  const double e2 = m2 / variance;
  const double most = (m2 - 1) * e2 - m2 * (std::log(m1 / (m1 - 1)) + std::log(m2 / (m2 - 1)));
  if (log_doubt > most) return always;
  const double log_sure = std::log1p(-std::exp(log_doubt));
  const double log_rest = (m2 - 1) / m2 * (log_doubt + e2);
  if (log_rest >= 0) return always;
  const double log_a = log_sure - std::log1p(-std::exp(log_rest));
  const double log_b = e1 - log_doubt / (m1 - 1);
  const double log_moment =
      log_sum(log_sure + (order - 1) * log_a, log_doubt + (order - 1) * log_b);
  return std::clamp(log_moment / (order - 1), 0.0, always);
}

double pure_vote_cost(double log_doubt, double epsilon, double order) {
  const double always = std::min(epsilon, order * epsilon * epsilon / 2);
  // (e^E - 1) / (e^2E - 1) = 1 / (e^E + 1)
  if (!(log_doubt < -log_sum(epsilon, 0))) return always;
  const double log_sure = std::log1p(-std::exp(log_doubt));
  const double log_a = log_sure - std::log1p(-std::exp(epsilon + log_doubt));
  const double log_moment =
      log_sum(log_sure + (order - 1) * log_a, log_doubt + (order - 1) * epsilon);
  return std::clamp(log_moment / (order - 1), 0.0, always);
}

}  // namespace tacit::learn

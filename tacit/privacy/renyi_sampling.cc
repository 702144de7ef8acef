#include "tacit/privacy/renyi_sampling.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <utility>
#include <vector>

#include "tacit/privacy/renyi_binomial_internal.h"
#include "tacit/privacy/renyi_rounding_internal.h"

namespace tacit::renyi {
namespace {

// Sums over all integers up to the order stop paying above this one.
constexpr int kLargestSummedOrder = 2048;

// The divergences of a part at 2, 3, 4, ..., computed when first asked for.
class Moments {
 public:
  explicit Moments(Divergence part) : part_(std::move(part)) {}

  // (l - 1) times the divergence at order l.
  double log_moment(int l) {
    while (static_cast<int>(known_.size()) + 2 <= l) {
      const auto next = static_cast<double>(known_.size() + 2);
      known_.push_back(product_up(next - 1, part_(next)));
    }
    return known_[static_cast<std::size_t>(l) - 2];
  }
  [[nodiscard]] double divergence(double order) const { return part_(order); }

 private:
  Divergence part_;
  std::vector<double> known_;
};

// log(e^a + e^b).
double log_add(double a, double b) {
  const double high = std::max(a, b);
  if (high == kInfinity || high == -kInfinity) return high;
  return high + std::log1p(std::exp(std::min(a, b) - high));
}

double log_expm1(double x) { return x > 40 ? x : std::log(std::expm1(x)); }

// log binomial(n, k), with lgamma's error of some units of its largest argument.
double log_binomial(double n, double k) {
  return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
}

// A sum of at most `order` positive terms given by their logarithms, from parts of size `size`:
// each term and each addition puts the logarithm of the sum off by at most some units of that size.
// Returns the divergence for 1 + sum.
double divergence_from_log_excess(double log_excess, double size, double order) {
  if (log_excess == kInfinity) return kInfinity;
  const double raised = log_excess + (32 + 4 * order) * kUnit * (size + 8);
  const double log_moment = raised > 40 ? raised + std::exp(-raised) : std::log1p(std::exp(raised));
  return up(log_moment / (order - 1), 16);
}

// E_Q[(1 - q + q P/Q)^n] - 1 = sum over l >= 2 of binomial(n, l) (1 - q)^(n-l) q^l (e^m(l) - 1),
// m(l) = (l - 1) D_l(P || Q), because the weights sum to 1 and the first two moments are 1.
double sampled_against_plain(Moments& moments, double rate, int order) {
  const double log_in = std::log(rate);
  const double log_out = std::log1p(-rate);
  double log_excess = -kInfinity;
  double size = 0;
  for (int l = 2; l <= order; ++l) {
    const double moment = moments.log_moment(l);
    if (moment == 0) continue;
    const double weight = log_binomial(order, l) + l * log_in + (order - l) * log_out;
    log_excess = log_add(log_excess, weight + log_expm1(moment));
    size = std::max(size, std::lgamma(order + 1.0) + l * -log_in + (order - l) * -log_out +
                              std::abs(log_expm1(moment)) + l);
  }
  return divergence_from_log_excess(log_excess, size + order, order);
}

// E_Q[(1 + q (x - 1))^(1 - a)], x = P/Q: by convexity in q, and by its second derivative in q.
double plain_against_sampled(Moments& moments, double rate, double order) {
  const double chord_moment = product_up(order - 1, moments.divergence(order));
  const double chord = rate * std::expm1(up(chord_moment, 2));
  const double curvature = order * (order - 1) / 2 * rate * rate * std::pow(1 - rate, -order - 1) *
                           std::expm1(moments.log_moment(2));
  const double excess = std::min(up(chord, 16), up(curvature, 32 + 8 * order));
  return divergence_from_excess(excess, order);
}

// Wang, Balle and Kasiviswanathan (2019, Theorem 9): with r the rate,
//   1 + binomial(n, 2) r^2 min(4 (e^D(2) - 1), e^D(2) min(2, (e^D(inf) - 1)^2))
//     + sum over j >= 3 of binomial(n, j) r^j e^m(j) min(2, (e^D(inf) - 1)^j).
double fixed_size_at(Moments& moments, double part_epsilon, double rate, int order) {
  const double log_rate = std::log(rate);
  const double log_jump = std::min(log_expm1(part_epsilon), 1.0);
  const auto capped = [&](int j) { return std::min(std::numbers::ln2, j * log_jump); };
  const double second = moments.log_moment(2);
  double log_excess = log_binomial(order, 2) + 2 * log_rate +
                      std::min(2 * std::numbers::ln2 + log_expm1(second), second + capped(2));
  for (int j = 3; j <= order; ++j) {
    const double term = log_binomial(order, j) + j * log_rate + moments.log_moment(j) + capped(j);
    log_excess = log_add(log_excess, term);
  }
  const double size = std::lgamma(order + 1.0) + order * (std::abs(log_jump) - log_rate) +
                      moments.log_moment(order) + std::abs(log_expm1(second)) + order;
  return divergence_from_log_excess(log_excess, size, order);
}

// Between integers the chord of log moments, which are convex and 0 at order 1.
template <class AtInteger>
double chord_between_integers(const AtInteger& at_integer, double order) {
  const auto below = static_cast<int>(std::floor(order));
  if (order == below) return at_integer(below);
  const double right = product_up(below, at_integer(below + 1));
  if (below == 1) return right;
  const double left = product_up(below - 1, at_integer(below));
  const double share = order - below;
  return up(((1 - share) * left + share * right) / (order - 1), 16);
}

}  // namespace

double by_norm_inequality(double rate, double divergence, double order) {
  const double exponent = up((order - 1) / order * divergence, 4);
  const double log_norm = exponent < 600
                              ? std::log1p(up(rate * std::expm1(exponent), 8 + 4 * exponent))
                              : exponent + std::log(rate + std::exp(-exponent));
  const double error = 16 * kUnit * (exponent < 600 ? log_norm : exponent - std::log(rate));
  return up(order / (order - 1) * (log_norm + error), 8);
}

double of_subsampled_pure(double rate, double epsilon, double order) {
  if (rate == 0 || epsilon == 0) return 0;
  const double up_jump = rate * std::expm1(epsilon);
  const double limit = up(std::log1p(up_jump), 32);
  if (limit == kInfinity) return limit;
  if (order * limit >= 600) {
    // All that matters is the larger ratio's share; the other adds at most 1.
    const double log_share = order * limit - (epsilon + std::log1p(std::exp(-epsilon)));
    const double log_excess = log_share + 32 * kUnit * (order * limit + epsilon);
    return std::min(limit, divergence_from_log_excess(log_excess, 0, order));
  }
  // The ratio of likelihoods is 1 + up_jump with probability 1 / (1 + e^epsilon), else 1 +
  // down_jump, and its mean is 1.
  const double down_jump = rate * std::expm1(-epsilon);
  const double odds = std::exp(epsilon);
  const double excess = up(binomial_excess(up_jump, order) / (1 + odds) +
                               binomial_excess(down_jump, order) / (1 + 1 / odds),
                           16);
  return std::min(limit, divergence_from_excess(excess, order));
}

Divergence of_poisson_sample(Divergence part, double rate, bool symmetric) {
  if (rate == 0) return [](double) { return 0.0; };
  if (rate >= 1) return part;
  auto moments = std::make_shared<Moments>(std::move(part));
  return [moments, rate, symmetric](double order) {
    const auto both_directions = [&](int whole) {
      const double forward = sampled_against_plain(*moments, rate, whole);
      return symmetric ? forward : std::max(forward, plain_against_sampled(*moments, rate, whole));
    };
    const double plain = moments->divergence(order);
    double bound = plain;
    if (order <= kLargestSummedOrder) {
      bound = std::min(bound, chord_between_integers(both_directions, order));
    }
    const double norm = by_norm_inequality(rate, plain, order);
    return std::min(
        bound, symmetric ? norm : std::max(norm, plain_against_sampled(*moments, rate, order)));
  };
}

Divergence of_fixed_size_sample(Divergence part, double part_epsilon, double rate) {
  if (part_epsilon == 0) return [](double) { return 0.0; };
  if (rate >= 1) return part;
  auto moments = std::make_shared<Moments>(std::move(part));
  return [moments, part_epsilon, rate](double order) {
    const double plain = moments->divergence(order);
    if (order > kLargestSummedOrder) return plain;
    const auto at_integer = [&](int whole) {
      return fixed_size_at(*moments, part_epsilon, rate, whole);
    };
    return std::min(plain, chord_between_integers(at_integer, order));
  };
}

Divergence of_fixed_size_pair(Divergence poisson_sampled_pair) {
  return [pair = std::move(poisson_sampled_pair)](double order) {
    const double moment = product_up(order - 1, pair(order));
    if (moment > 600) return up((moment + std::numbers::ln2) / (order - 1), 4);
    return divergence_from_excess(up(2 * std::expm1(moment), 8 + 2 * moment), order);
  };
}

}  // namespace tacit::renyi

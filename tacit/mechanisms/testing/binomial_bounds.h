#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

// Bounds on a probability from a count of successes. All rest on Chernoff's inequality in its
// relative-entropy form (Hoeffding 1963, theorem 1): for X ~ Binomial(n, p),
//   P(X >= an) <= exp(-n KL(a, p)) for a >= p,   P(X <= an) <= exp(-n KL(a, p)) for a <= p.
// They hold for every n, so a stated false-alarm rate is a theorem, not a normal approximation.
namespace tacit::testing {

// Relative entropy of a coin of bias `a` from one of bias `p`, in nats.
inline double relative_entropy(double a, double p) {
  const auto term = [](double x, double y) {
    if (x <= 0) return 0.0;
    return y <= 0 ? std::numeric_limits<double>::infinity() : x * std::log(x / y);
  };
  return term(a, p) + term(1 - a, 1 - p);
}

// Whether `count` of `trials` contradicts the probability `p` at the two-sided level `alpha`.
inline bool contradicts(std::uint64_t count, std::uint64_t trials, double p, double alpha) {
  const auto n = static_cast<double>(trials);
  return n * relative_entropy(static_cast<double>(count) / n, p) > std::log(2 / alpha);
}

namespace internal {

// The p between `inside` (the observed share) and `outside` where the entropy reaches the limit.
inline double entropy_boundary(double share, double outside, double limit) {
  double inside = share;
  for (int i = 0; i < 200 && inside != outside; ++i) {
    const double middle = inside + (outside - inside) / 2;
    if (middle == inside || middle == outside) break;
    (relative_entropy(share, middle) <= limit ? inside : outside) = middle;
  }
  return outside;
}

}  // namespace internal

// The probability is at least this, except with probability `alpha`.
inline double lower_bound(std::uint64_t count, std::uint64_t trials, double alpha) {
  if (count == 0) return 0;
  const auto n = static_cast<double>(trials);
  return internal::entropy_boundary(static_cast<double>(count) / n, 0, std::log(1 / alpha) / n);
}

// The probability is at most this, except with probability `alpha`.
inline double upper_bound(std::uint64_t count, std::uint64_t trials, double alpha) {
  if (count == trials) return 1;
  const auto n = static_cast<double>(trials);
  return internal::entropy_boundary(static_cast<double>(count) / n, 1, std::log(1 / alpha) / n);
}

}  // namespace tacit::testing

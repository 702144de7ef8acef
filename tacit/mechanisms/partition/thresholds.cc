#include "tacit/mechanisms/partition/thresholds.h"

#include <cmath>
#include <optional>

#include "tacit/mechanisms/selection/real_bracket_internal.h"

namespace tacit {
namespace {

// Beyond this a count no longer means anything and sums with noise could overflow.
constexpr std::int64_t kLargestThreshold = std::int64_t{1} << 62;

Result<void> check(const Rational& spread, const char* name, const Rational& probability) {
  if (spread.sign() <= 0) return bad_input("must be above 0", name);
  if (probability.sign() <= 0 || probability * 2 >= 1) {
    return bad_input("must be above 0 and below 1/2", "tail probability");
  }
  return {};
}

// The least t >= 1 that `enough` accepts, where it accepts every t from some point on.
template <class Enough>
Result<std::int64_t> least(const Enough& enough) {
  std::int64_t above = 1;
  while (!enough(above)) {
    if (above >= kLargestThreshold) {
      return bad_input("the threshold would pass 2^62", "noise",
                       "use less noise or a larger delta");
    }
    above *= 2;
  }
  std::int64_t below = above / 2;
  while (above - below > 1) {
    const std::int64_t middle = below + (above - below) / 2;
    (enough(middle) ? above : below) = middle;
  }
  return above;
}

std::size_t enough_precision(const Rational& probability) {
  return 128 + mpz_sizeinbase(probability.mpq().get_den_mpz_t(), 2);
}

}  // namespace

// P(noise >= t) = y^t / (1 + y) with y = exp(-1 / scale), for t >= 1. The two sides of the
// comparison are never equal, y being transcendental, so some precision tells them apart.
Result<std::int64_t> discrete_laplace_tail_point(const Rational& scale,
                                                 const Rational& probability) {
  TACIT_RETURN_IF_ERROR(check(scale, "scale", probability));
  return least([&](std::int64_t t) {
    for (std::size_t precision = enough_precision(probability);; precision *= 2) {
      const RealBracket tail = RealBracket::exp_minus(Rational(t) / scale, precision);
      const RealBracket y = RealBracket::exp_minus(Rational(1) / scale, precision);
      const RealBracket allowed =
          RealBracket::of(probability, precision) * (RealBracket::of(1, precision) + y);
      if (certainly_at_most(tail, allowed)) return true;
      if (certainly_at_most(allowed, tail)) return false;
    }
  });
}

// proof.md, lemma 2: P(noise >= t)^2 <= exp(-t^2 / v) / (max(1, 2 pi v) (1 - exp(-(2t+1) / 2v))^2).
Result<std::int64_t> discrete_gaussian_tail_point(const Rational& variance,
                                                  const Rational& probability) {
  TACIT_RETURN_IF_ERROR(check(variance, "variance", probability));
  const Rational two_pi_below = *Rational::parse("6.283185307");
  const Rational normalizer = std::max(Rational(1), two_pi_below * variance);
  const std::size_t precision =
      4 * enough_precision(probability) + 2 * mpz_sizeinbase(variance.ceil().get_mpz_t(), 2);
  return least([&](std::int64_t t) {
    const Rational square = Rational(t) * Rational(t);
    const Rational step = (Rational(t) * 2 + 1) / (variance * 2);
    const RealBracket tail = RealBracket::exp_minus(square / variance, precision);
    const RealBracket ratio =
        RealBracket::of(1, precision) - RealBracket::exp_minus(step, precision);
    const RealBracket allowed =
        RealBracket::of(probability * probability * normalizer, precision) * ratio * ratio;
    return certainly_at_most(tail, allowed);
  });
}

double laplace_threshold(double epsilon, double delta, std::uint64_t groups_per_unit) {
  const auto kappa = static_cast<double>(groups_per_unit);
  return 1 + kappa / epsilon * std::log(kappa / (2 * delta));
}

}  // namespace tacit

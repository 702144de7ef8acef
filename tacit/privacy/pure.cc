#include "tacit/privacy/pure.h"

#include <algorithm>

#include "tacit/privacy/cost_fields_internal.h"
#include "tacit/privacy/enclosure_internal.h"
#include "tacit/privacy/pure_internal.h"

namespace tacit {
namespace {

// Up to a multiple of 1e-12, or of 1e-12 of the first power of ten below the value where it is
// below 1: so that a million tiny costs add up to what they are.
Rational rounded_up(const Rational& value) {
  if (value.sign() <= 0) return 0;
  Rational scale = integer(1'000'000'000'000U);
  for (Rational top = value; top < 1 && scale < Rational::power_of_two(600); top = top * 10) {
    scale = scale * 10;
  }
  return Rational(mpq_class((value * scale).ceil())) / scale;
}

// ln of a positive rational, above.
Rational log_above(const Enclosure& x) { return Rational::exactly(log(x).upper).value(); }

struct PureVisitor {
  [[nodiscard]] static std::unexpected<Error> refuse(std::string_view type, std::string why) {
    return bad_input(std::move(why), "pure accountant: " + std::string(type),
                     "ask for an epsilon at a delta above 0, from another accountant");
  }

  Result<Rational> operator()(const cost::Pure& n) const { return n.epsilon; }
  Result<Rational> operator()(const cost::Exponential& n) const { return n.epsilon; }
  Result<Rational> operator()(const cost::PermuteAndFlip& n) const { return n.epsilon; }
  Result<Rational> operator()(const cost::SparseVector& n) const { return n.epsilon; }
  Result<Rational> operator()(const cost::Laplace& n) const {
    return Rational(1) / n.noise_multiplier;
  }
  // P(x) / P(x - s) = exp((|x - s| - |x|) / scale), at most exp(s / scale).
  Result<Rational> operator()(const cost::DiscreteLaplace& n) const {
    return integer(n.sensitivity) / n.scale;
  }
  // The likeliest answer is `truth`, any other (1 - truth) / (k - 1) (Warner 1965).
  Result<Rational> operator()(const cost::RandomizedResponse& n) const {
    const Rational odds = n.truth * integer(n.categories - 1) / (Rational(1) - n.truth);
    return odds == Rational(1) ? Rational(0) : rounded_up(log_above(Enclosure(odds)));
  }

  Result<Rational> operator()(const cost::Approximate& n) const {
    if (n.delta.sign() == 0) return n.epsilon;
    return refuse("approximate", "a guarantee with a delta above 0 has no pure epsilon");
  }
  Result<Rational> operator()(const cost::PartitionSelection& n) const {
    if (n.delta.sign() == 0) return n.epsilon;
    return refuse("partition_selection",
                  "a choice of group keys has no pure epsilon: a key that "
                  "only one unit has appears with probability delta");
  }
  Result<Rational> operator()(const cost::Zcdp&) const {
    return refuse("zcdp", "a zero-concentrated guarantee bounds no pure epsilon");
  }
  Result<Rational> operator()(const cost::Renyi&) const {
    return refuse("renyi", "a Rényi guarantee at finite orders bounds no pure epsilon");
  }
  Result<Rational> operator()(const cost::Gaussian&) const {
    return refuse("gaussian", "Gaussian noise has no pure epsilon");
  }
  Result<Rational> operator()(const cost::DiscreteGaussian&) const {
    return refuse("discrete_gaussian", "discrete Gaussian noise has no pure epsilon");
  }
  Result<Rational> operator()(const cost::NoneProved& n) const {
    return bad_input("nothing is proved of this release: " + n.reason, "none_proved",
                     "no accountant can price it");
  }

  Result<Rational> operator()(const cost::Compose& n) const {
    Rational sum;
    for (const Cost& part : n.parts) {
      TACIT_ASSIGN_OR_RETURN(const Rational epsilon, pure_epsilon(part));
      sum = sum + epsilon;
    }
    return sum;
  }
  Result<Rational> operator()(const cost::Repeat& n) const { return times(n.times, *n.part); }
  Result<Rational> operator()(const cost::Group& n) const { return times(n.size, *n.part); }
  Result<Rational> operator()(const cost::AsReplace& n) const { return times(2, *n.part); }
  Result<Rational> operator()(const cost::Parallel& n) const {
    Rational largest;
    Rational second;
    for (const Cost& part : n.parts) {
      TACIT_ASSIGN_OR_RETURN(const Rational epsilon, pure_epsilon(part));
      second = std::max(second, std::min(epsilon, largest));
      largest = std::max(largest, epsilon);
    }
    return n.parts.front().neighbours() == Neighbours::kReplace ? largest + second : largest;
  }
  Result<Rational> operator()(const cost::PoissonSample& n) const {
    TACIT_ASSIGN_OR_RETURN(const Rational epsilon, pure_epsilon(*n.part));
    return amplified_epsilon(n.rate, epsilon);
  }
  Result<Rational> operator()(const cost::FixedSizeSample& n) const {
    TACIT_ASSIGN_OR_RETURN(const Rational epsilon, pure_epsilon(*n.part));
    return amplified_epsilon(integer(n.size) / integer(n.population), epsilon);
  }

  static Result<Rational> times(std::uint64_t count, const Cost& part) {
    TACIT_ASSIGN_OR_RETURN(const Rational epsilon, pure_epsilon(part));
    return integer(count) * epsilon;
  }
};

}  // namespace

Rational integer(std::uint64_t value) { return Rational(mpq_class(mpz_class(value))); }

Result<Rational> pure_epsilon_of(const cost::Node& node) { return std::visit(PureVisitor{}, node); }

Result<Rational> pure_epsilon(const Cost& cost) { return pure_epsilon_of(cost.node()); }

Rational amplified_epsilon(const Rational& rate, const Rational& epsilon) {
  if (rate.sign() == 0 || epsilon.sign() == 0) return 0;
  if (rate == Rational(1)) return epsilon;
  if (epsilon < 1) {
    const Enclosure growth = Enclosure(rate) * expm1(Enclosure(epsilon));
    return std::min(epsilon, rounded_up(Rational::exactly(log1p(growth).upper).value()));
  }
  // The same, as epsilon + ln(q + (1 - q) e^-epsilon), which cannot overflow.
  const Enclosure rest = Enclosure(rate) + Enclosure(Rational(1) - rate) * exp(-Enclosure(epsilon));
  return std::min(epsilon, rounded_up(epsilon + log_above(rest)));
}

}  // namespace tacit

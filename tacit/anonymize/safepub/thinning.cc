#include "tacit/anonymize/safepub/thinning.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tacit/privacy/enclosure_internal.h"

namespace tacit::anonymize {
namespace {

// Larger classes are nobody's wish.
constexpr std::uint64_t kMostLeast = std::uint64_t{1} << 20;

// delta(n) of proof.md for one epsilon and one rate, rounded up.
class ClassDelta {
 public:
  ClassDelta(const Rational& epsilon, const Rational& rate)
      : epsilon_(epsilon),
        rate_(rate),
        rest_(Enclosure(1) - rate_),
        gamma_(Enclosure(1) - rest_ * exp(-epsilon_)),
        log_rate_(log(rate_)),
        log_rest_(log(rest_)) {}

  // K of lemma 3: delta(n) <= exp(-n K).
  [[nodiscard]] double decay() const {
    const Enclosure entropy = gamma_ * log(gamma_ / rate_) - rest_ * exp(-epsilon_) * epsilon_;
    return std::max(0.0, entropy.lower);
  }

  [[nodiscard]] double operator()(std::uint64_t n, std::uint64_t k) {
    const double near = std::floor(gamma_.lower * static_cast<double>(n)) - 1;
    double sum = 0;
    for (auto j = std::max(k, static_cast<std::uint64_t>(std::max(0.0, near))); j <= n; ++j) {
      const double more = excess(n, j);
      if (more <= 0) continue;
      const double chance = exp(log_chance(n, j)).upper;
      sum = rounding::up(sum + rounding::up(chance * more));
      const double left = beyond(n, j, chance);
      if (left > kNegligible * sum) continue;
      return rounding::up(sum + left);
    }
    return sum;
  }

 private:
  static constexpr double kNegligible = 1e-9;

  static Enclosure of(std::uint64_t count) { return {static_cast<double>(count)}; }

  // 1 - e^epsilon (n - j) / (n (1 - rate))
  [[nodiscard]] double excess(std::uint64_t n, std::uint64_t j) const {
    return (Enclosure(1) - exp(epsilon_) * of(n - j) / (of(n) * rest_)).upper;
  }

  // ln b_n(j)
  [[nodiscard]] Enclosure log_chance(std::uint64_t n, std::uint64_t j) {
    return log_factorial(n) - log_factorial(j) - log_factorial(n - j) + of(j) * log_rate_ +
           of(n - j) * log_rest_;
  }

  // The chances after j, of which that of j bounds the sum.
  [[nodiscard]] double beyond(std::uint64_t n, std::uint64_t j, double chance) const {
    const Enclosure ratio = of(n - j) * rate_ / (of(j + 1) * rest_);
    if (ratio.upper >= 1) return rounding::kInfinity;
    return (Enclosure(chance) * ratio / (Enclosure(1) - ratio)).upper;
  }

  [[nodiscard]] Enclosure log_factorial(std::uint64_t n) {
    while (log_factorials_.size() <= n) {
      log_factorials_.push_back(log_factorials_.back() + log(of(log_factorials_.size())));
    }
    return log_factorials_[n];
  }

  Enclosure epsilon_;
  Enclosure rate_;
  Enclosure rest_;   // 1 - rate
  Enclosure gamma_;  // 1 - (1 - rate) e^-epsilon
  Enclosure log_rate_;
  Enclosure log_rest_;
  std::vector<Enclosure> log_factorials_{Enclosure(0)};
};

Result<void> check(const Rational& epsilon, const Rational& delta) {
  const auto outside = [&](const char* least, const char* most) {
    return epsilon < *Rational::parse(least) || epsilon > *Rational::parse(most);
  };
  if (outside(Thinning::kLeastEpsilon, Thinning::kMostEpsilon)) {
    return bad_input(
        fmt::format("an epsilon of {} is left for the release", epsilon.to_string()), {},
        fmt::format("let it be {} to {}", Thinning::kLeastEpsilon, Thinning::kMostEpsilon));
  }
  if (delta.sign() > 0 && delta < Rational(1)) return {};
  return bad_input("delta must be above 0 and below 1", {}, "for example: delta = 1e-6");
}

}  // namespace

Rational largest_rate(const Rational& epsilon) {
  constexpr std::int64_t kParts = 1'000'000;
  const double rate = (Enclosure(1) - exp(-Enclosure(epsilon))).lower;
  const auto parts = static_cast<std::int64_t>(std::floor(rounding::down(rate * kParts)));
  return Rational(std::clamp(parts, std::int64_t{0}, kParts - 1)) / Rational(kParts);
}

double delta_bound(const Rational& epsilon, const Thinning& thinning) {
  ClassDelta delta(epsilon, thinning.rate);
  const double decay = delta.decay();
  if (decay == 0) return 1;
  const auto tail = [&](std::uint64_t n) {
    return exp(Enclosure(-static_cast<double>(n)) * Enclosure(decay)).upper;
  };
  // Nothing is known of sizes beyond the last that is tried but what lemma 3 says of all of them.
  const std::uint64_t last = thinning.least + (kMostLeast << 2U);
  double largest = 0;
  for (std::uint64_t n = thinning.least; n < last; ++n) {
    largest = std::max(largest, delta(n, thinning.least));
    if (tail(n + 1) <= largest) return largest;
  }
  return std::max(largest, tail(last));
}

Result<Thinning> Thinning::create(const Rational& epsilon, const Rational& delta) {
  TACIT_RETURN_IF_ERROR(check(epsilon, delta));
  return create(epsilon, delta, largest_rate(epsilon) * Rational(3) / Rational(4));
}

Result<Thinning> Thinning::create(const Rational& epsilon, const Rational& delta,
                                  const Rational& rate) {
  TACIT_RETURN_IF_ERROR(check(epsilon, delta));
  const Rational most = largest_rate(epsilon);
  if (rate.sign() <= 0 || rate > most) {
    return bad_input(fmt::format("rows cannot be sampled at a rate of {} for an epsilon of {}",
                                 rate.to_string(), epsilon.to_string()),
                     {}, fmt::format("let it be above 0 and at most {}", most.to_string()));
  }
  const auto suffices = [&](std::uint64_t least) {
    return delta_bound(epsilon, {.rate = rate, .least = least}) <= delta.lower();
  };
  std::uint64_t above = 1;
  while (above <= kMostLeast && !suffices(above)) above *= 2;
  if (above > kMostLeast) {
    return bad_input(fmt::format("at a rate of {} classes of more than {} rows would be needed",
                                 rate.to_string(), kMostLeast),
                     {}, "let the rate be less, or delta more");
  }
  std::uint64_t below = above / 2;
  while (above - below > 1) {
    const std::uint64_t middle = below + ((above - below) / 2);
    (suffices(middle) ? above : below) = middle;
  }
  return Thinning{.rate = rate, .least = above};
}

}  // namespace tacit::anonymize

#include "tacit/privacy/calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace tacit {
namespace {

constexpr double kLeastNoise = 1e-12;
constexpr double kMostNoise = 1e12;
constexpr double kNarrow = 1 + 2e-7;
constexpr double kShortEnough = 1 + 1e-6;
constexpr int kMostDigits = 7;

class Search {
 public:
  Search(const Target& target, Accountant accountant, const CostOfNoise& cost_of_noise)
      : target_(target), accountant_(accountant), cost_of_noise_(cost_of_noise) {}

  // What is proved at this noise; nothing where the accountant refuses, which of little noise may
  // mean "no finite epsilon" and of any noise that it has no theorem.
  std::optional<Proved> proved(const Rational& noise) {
    const auto cost = cost_of_noise_(noise);
    const auto proved =
        cost ? prove_epsilon(accountant_, *cost, target_.delta) : std::unexpected(cost.error());
    if (!proved) {
      refusal_ = proved.error();
      return std::nullopt;
    }
    refusal_.reset();
    return *proved;
  }
  std::optional<Proved> meets(const Rational& noise) {
    const auto found = proved(noise);
    return found && found->upper <= target_.epsilon ? found : std::nullopt;
  }
  // How far the noise is from the target: above 0 it is too little. Infinite where it is refused.
  double excess(double noise) {
    const auto found = proved(Rational::exactly(noise).value());
    if (!found) return std::numeric_limits<double>::infinity();
    if (found->upper <= target_.epsilon)
      return std::min(0.0, std::log(found->upper / target_.epsilon));
    return std::max(std::numeric_limits<double>::min(), std::log(found->upper / target_.epsilon));
  }

  [[nodiscard]] const std::optional<Error>& refusal() const { return refusal_; }

 private:
  const Target& target_;
  Accountant accountant_;
  const CostOfNoise& cost_of_noise_;
  std::optional<Error> refusal_;
};

// A noise that is too little and one that is enough, with their excess.
struct Range {
  double below = 0;
  double too_much = 0;
  double above = 0;
  double to_spare = 0;
};

Result<Range> first_range(Search& search, const Target& target) {
  Range range{.above = 1, .to_spare = search.excess(1)};
  while (range.to_spare > 0) {
    range = {range.above, range.to_spare, range.above * 4, search.excess(range.above * 4)};
    if (range.above > kMostNoise) {
      if (const std::optional<Error>& refusal = search.refusal()) return std::unexpected(*refusal);
      return bad_input(fmt::format("no noise below {} gives epsilon {} at delta {}", kMostNoise,
                                   target.epsilon, target.delta),
                       "target", "ask for a larger epsilon or delta, or for fewer steps");
    }
  }
  while (range.below == 0) {
    const double less = range.above / 4;
    const double excess = search.excess(less);
    if (excess > 0) {
      range.below = less;
      range.too_much = excess;
    } else if (less < kLeastNoise) {
      return bad_input(fmt::format("epsilon {} is met with next to no noise", target.epsilon),
                       "target", "ask for a smaller epsilon");
    } else {
      range.above = less;
      range.to_spare = excess;
    }
  }
  return range;
}

// Log epsilon is close to a line in log noise, so the false position (the Illinois variant, which
// moves both ends) needs few questions to the accountant; where that fails, the middle is taken.
void narrow(Search& search, Range& range) {
  int same_side = 0;
  while (range.above > range.below * kNarrow) {
    const double width = std::log(range.above / range.below);
    const double share = range.too_much / (range.too_much - range.to_spare);
    const bool usable = std::isfinite(share) && std::abs(same_side) < 4;
    const double margin = std::min(0.5, 2e-8 / width);
    const double step = usable ? std::clamp(share, margin, 1 - margin) : 0.5;
    const double noise = range.below * std::exp(step * width);
    const double excess = search.excess(noise);
    if (excess > 0) {
      range.below = noise;
      range.too_much = excess;
      same_side = same_side > 0 ? same_side + 1 : 1;
      if (same_side > 1) range.to_spare /= 2;
    } else {
      range.above = noise;
      range.to_spare = excess;
      same_side = same_side < 0 ? same_side - 1 : -1;
      if (same_side < -1) range.too_much /= 2;
    }
    if (!usable) same_side = 0;
  }
}

// The least decimal of so many digits that is not below the value.
Rational rounded_up(double value, int digits) {
  const int exponent = static_cast<int>(std::floor(std::log10(value))) + 1 - digits;
  const Rational unit = Rational::parse(fmt::format("1e{}", exponent)).value();
  return Rational(mpq_class((Rational::exactly(value).value() / unit).ceil())) * unit;
}

}  // namespace

Result<Calibrated> calibrate(const Target& target, Accountant accountant,
                             const CostOfNoise& cost_of_noise) {
  if (!(target.epsilon > 0) || !std::isfinite(target.epsilon)) {
    return bad_input("the target epsilon must be above 0 and finite", "epsilon",
                     "give a number such as 1");
  }
  Search search(target, accountant, cost_of_noise);
  TACIT_ASSIGN_OR_RETURN(Range range, first_range(search, target));
  narrow(search, range);
  // The shortest decimal near the boundary that meets the target; 20 rather than 20.00001.
  for (int digits = 1; digits <= kMostDigits; ++digits) {
    const Rational noise = rounded_up(range.below, digits);
    if (noise.upper() > range.above * kShortEnough && digits < kMostDigits) continue;
    if (const auto proved = search.meets(noise)) return Calibrated{noise, *proved};
  }
  const Rational noise = rounded_up(range.above * kShortEnough, kMostDigits);
  if (const auto proved = search.meets(noise)) return Calibrated{noise, *proved};
  return bad_input("more noise was found to cost more", "calibration",
                   "this is a fault in the accountant; ask another one");
}

}  // namespace tacit

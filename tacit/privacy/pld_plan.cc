#include "tacit/privacy/pld_plan_internal.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

namespace tacit::pld {
namespace {

// Losses beyond this are infinite to the upper law and absent from the lower one.
constexpr double kLargestLoss = 500;
// What the composed law may leave outside the window of the transform, of its tilted mass.
const double kLogOutside = std::log(1e-13);

// The smallest loss where `is_above` holds, by bisection; it must be monotone.
template <class Predicate>
double first_where(Predicate is_above) {
  double low = -kLargestLoss;
  double high = kLargestLoss;
  constexpr int kHalvings = 50;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (is_above(middle) ? high : low) = middle;
  }
  return high;
}

struct Range {
  double low = 0;
  double high = 0;
};

// All but `negligible` of the loss under P.
Range range_of(const DominatingPair& pair, double negligible) {
  const double infinite = pair.infinite_mass();
  return {first_where([&](double y) { return pair.at(y).p_below > negligible; }),
          first_where([&](double y) { return pair.at(y).p_above - infinite <= negligible; })};
}

// The least value of a function with one valley, over the logarithm of its argument.
template <class Function>
double argmin_log(double low, double high, Function value) {
  constexpr double kGolden = 0.6180339887498949;
  constexpr int kSteps = 28;
  double a = std::log(low);
  double b = std::log(high);
  double x = b - (kGolden * (b - a));
  double y = a + (kGolden * (b - a));
  double at_x = value(std::exp(x));
  double at_y = value(std::exp(y));
  for (int i = 0; i < kSteps; ++i) {
    if (at_x <= at_y) {
      b = std::exchange(y, x);
      at_y = at_x;
      x = b - (kGolden * (b - a));
      at_x = value(std::exp(x));
    } else {
      a = std::exchange(x, y);
      at_x = at_y;
      y = a + (kGolden * (b - a));
      at_y = value(std::exp(y));
    }
  }
  return std::exp(at_x <= at_y ? x : y);
}

// The first two cumulants of a law's finite part under a tilt.
struct Moments {
  double mass = 0;
  double mean = 0;
  double variance = 0;
};

Moments moments(const Discretization& law, double tilt, double log_scale) {
  Moments sums;
  for (std::size_t k = 0; k < law.knots.size(); ++k) {
    const double weight = law.upper[k] * std::exp((tilt * law.loss(k)) - log_scale);
    sums.mass += weight;
    sums.mean += weight * law.loss(k);
    sums.variance += weight * law.loss(k) * law.loss(k);
  }
  sums.mean /= sums.mass;
  sums.variance = std::max((sums.variance / sums.mass) - (sums.mean * sums.mean), 0.0);
  return sums;
}

// A rough law of each term, good enough to choose the tilt, the window and the lattice by.
class Sketch {
 public:
  Sketch(std::span<const Term> terms, const Question& question)
      : terms_(terms), question_(question) {
    double times = 0;
    for (const Term& term : terms) times += static_cast<double>(term.times);
    const double smallest_delta = question.delta.value_or(1e-30);
    for (const Term& term : terms) {
      ranges_.push_back(range_of(*term.pair, std::max(1e-10 * smallest_delta / times, 1e-290)));
      laws_.push_back(sketch(*term.pair, ranges_.back(), {.least_weight = 1.0 / 64}));
    }
    refine(typical_tilt());
    tilt_ = best_tilt();
    refine(tilt_);
    tilt_ = best_tilt();
  }

  [[nodiscard]] double tilt() const { return tilt_; }
  [[nodiscard]] const std::vector<Range>& ranges() const { return ranges_; }
  [[nodiscard]] double log_mgf_of(std::size_t term) const {
    return log_mgf(laws_[term], tilt_).upper;
  }

  // Standard deviation of the tilted sum.
  [[nodiscard]] double deviation() const { return std::sqrt(total(tilt_).variance); }

  // The variance of one term under the tilt.
  [[nodiscard]] double variance_of(std::size_t term) const {
    return moments(laws_[term], tilt_, log_mgf_of(term)).variance;
  }

  [[nodiscard]] Tilting tilting() const {
    const double at_tilt = sum(tilt_);
    const double typical = std::sqrt(-2 * kLogOutside) / std::max(deviation(), 1e-9);
    Tilting tilting{.tilt = tilt_};
    const auto greatest = [&](double s) { return (sum(tilt_ + s) - at_tilt - kLogOutside) / s; };
    const auto least = [&](double s) { return (at_tilt + kLogOutside - sum(tilt_ - s)) / s; };
    tilting.chernoff_above = argmin_log(typical / 30, typical * 30, greatest);
    tilting.chernoff_below =
        argmin_log(typical / 30, typical * 30, [&](double s) { return -least(s); });
    tilting.greatest = greatest(tilting.chernoff_above);
    tilting.least = least(tilting.chernoff_below);
    return tilting;
  }

 private:
  static Discretization sketch(const DominatingPair& pair, Range range, const SplitRule& rule) {
    constexpr std::int64_t kPoints = std::int64_t{1} << 24;
    const double width = std::max(range.high - range.low, 1e-9);
    const Lattice lattice{range.low - (width / 64), width / static_cast<double>(kPoints)};
    return discretize(pair, lattice, 0, kPoints + (kPoints / 32), rule);
  }

  void refine(double tilt) {
    for (std::size_t i = 0; i < terms_.size(); ++i) {
      const double log_scale = log_mgf(laws_[i], tilt).upper;
      const Moments one = moments(laws_[i], tilt, log_scale);
      constexpr double kCoarseness = 2e-5;
      laws_[i] = sketch(*terms_[i].pair, ranges_[i],
                        {.tilt = tilt,
                         .log_mgf = log_scale,
                         .least_cost = kCoarseness * one.variance,
                         .least_weight = 1e-9});
    }
  }

  [[nodiscard]] double sum(double tilt) const {
    double total = 0;
    for (std::size_t i = 0; i < terms_.size(); ++i) {
      total += static_cast<double>(terms_[i].times) * log_mgf(laws_[i], tilt).upper;
    }
    return total;
  }

  [[nodiscard]] Moments total(double tilt) const {
    Moments total;
    for (std::size_t i = 0; i < terms_.size(); ++i) {
      const auto times = static_cast<double>(terms_[i].times);
      const Moments one = moments(laws_[i], tilt, log_mgf(laws_[i], tilt).upper);
      total.mean += times * one.mean;
      total.variance += times * one.variance;
    }
    return total;
  }

  // As if the sum were normal.
  [[nodiscard]] double typical_tilt() const {
    const Moments normal = total(0);
    const double deviation = std::max(std::sqrt(normal.variance), 1e-12);
    const double distance =
        question_.delta ? std::sqrt(std::max(-2 * std::log(*question_.delta), 0.01))
                        : std::clamp((*question_.epsilon - normal.mean) / deviation, 0.1, 40.0);
    return distance / deviation;
  }

  // The tilt of the best Chernoff bound for the question.
  [[nodiscard]] double best_tilt() const {
    const double typical = typical_tilt();
    const double exponent = question_.delta ? std::log(*question_.delta) : 0;
    return argmin_log(typical / 50, typical * 50, [&](double tilt) {
      const double log_bound = sum(tilt) + log_largest_payoff(tilt);
      return question_.delta ? (log_bound - exponent) / tilt
                             : log_bound - (tilt * *question_.epsilon);
    });
  }

  std::span<const Term> terms_;
  Question question_;
  std::vector<Range> ranges_;
  std::vector<Discretization> laws_;
  double tilt_ = 0;
};

// The term whose atoms the lattice is made to hit: the one that adds most to the variance.
std::optional<std::size_t> anchored_term(std::span<const Term> terms, const Sketch& sketch) {
  std::optional<std::size_t> chosen;
  double most = -1;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const double variance = static_cast<double>(terms[i].times) * sketch.variance_of(i);
    if (terms[i].pair->anchors() && variance > most) {
      chosen = i;
      most = variance;
    }
  }
  return chosen;
}

// A step h adds at most h^2 / 6 to the variance of each term; the step keeps that small against the
// variance of the sum.
double wanted_step(std::span<const Term> terms, const Sketch& sketch) {
  double times = 0;
  for (const Term& term : terms) times += static_cast<double>(term.times);
  const double deviation = sketch.deviation() / std::sqrt(times);
  constexpr double kFine = 0.9e-4;    // sharp enough whatever the deviation
  constexpr double kSharp = 2.0e-3;   // of one deviation: adds 7e-7 of the variance
  constexpr double kCoarse = 4.0e-2;  // of one deviation: adds 3e-4 of the variance
  return std::min(kCoarse * deviation, std::max(kSharp * deviation, kFine));
}

double chosen_step(std::span<const Term> terms, const Sketch& sketch, double window, int fineness) {
  const std::optional<std::size_t> anchored = anchored_term(terms, sketch);
  const double wanted = std::ldexp(wanted_step(terms, sketch), -fineness);
  const auto size = static_cast<double>(
      std::bit_ceil(static_cast<std::size_t>(std::clamp(window / wanted, 64.0, 0x1p24))));
  const double step = window / (size - 2);
  if (!anchored) return step;
  const Anchors anchors = *terms[*anchored].pair->anchors();
  if (anchors.complete && terms.size() == 1) return anchors.spacing;
  return anchors.spacing / std::max(std::floor(anchors.spacing / step), 1.0);
}

}  // namespace

Composition compose_for(std::span<const Term> terms, const Question& question, int fineness) {
  const Sketch sketch(terms, question);
  const Tilting tilting = sketch.tilting();
  const double step = chosen_step(terms, sketch, tilting.greatest - tilting.least, fineness);
  std::vector<Component> components;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const Range range = sketch.ranges()[i];
    const std::optional<Anchors> anchors = terms[i].pair->anchors();
    const Lattice lattice{anchors ? anchors->origin : 0, step};
    const auto first = static_cast<std::int64_t>(std::floor((range.low - lattice.origin) / step));
    const auto last = static_cast<std::int64_t>(std::ceil((range.high - lattice.origin) / step));
    constexpr double kCoarseness = 1.5e-4;
    const SplitRule rule{.tilt = sketch.tilt(),
                         .log_mgf = sketch.log_mgf_of(i),
                         .least_cost = kCoarseness * step * step,
                         .least_weight = 0};
    components.push_back(
        {discretize(*terms[i].pair, lattice, first, last + 1, rule), terms[i].times});
  }
  return compose(components, tilting);
}

}  // namespace tacit::pld

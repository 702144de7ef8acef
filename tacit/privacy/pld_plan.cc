#include "tacit/privacy/pld_plan_internal.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace tacit::pld {
namespace {

// Losses beyond this are infinite to the upper law and absent from the lower one.
constexpr double kLargestLoss = 500;

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

// The first two cumulants of a law's finite part under a tilt.
struct Moments {
  double mean = 0;
  double variance = 0;
};

// The finite part of a law, rough and made for many tilts: losses and the logarithms of their
// probabilities.
class RoughLaw {
 public:
  explicit RoughLaw(const Discretization& law) {
    for (std::size_t k = 0; k < law.knots.size(); ++k) {
      if (law.upper[k] > 0) atoms_.push_back({law.loss(k), std::log(law.upper[k])});
    }
  }

  // Minus infinity where every loss is beyond the largest.
  [[nodiscard]] double log_mgf(double tilt) const {
    // The largest term sets the scale, so that no sum overflows or vanishes.
    double largest = -std::numeric_limits<double>::infinity();
    for (const Atom& atom : atoms_) largest = std::max(largest, atom.exponent(tilt));
    double sum = 0;
    for (const Atom& atom : atoms_) sum += std::exp(atom.exponent(tilt) - largest);
    return atoms_.empty() ? largest : largest + std::log(sum);
  }

  [[nodiscard]] Moments moments(double tilt) const {
    const double log_scale = log_mgf(tilt);
    Moments sums;
    for (const Atom& atom : atoms_) {
      const double weight = std::exp(atom.exponent(tilt) - log_scale);
      sums.mean += weight * atom.loss;
      sums.variance += weight * atom.loss * atom.loss;
    }
    sums.variance = std::max(sums.variance - (sums.mean * sums.mean), 0.0);
    return sums;
  }

 private:
  struct Atom {
    double loss = 0;
    double log_mass = 0;

    [[nodiscard]] double exponent(double tilt) const { return (tilt * loss) + log_mass; }
  };

  std::vector<Atom> atoms_;
};

}  // namespace

// A rough law of each term, good enough to choose the tilt, the circle and the lattice by.
class Planner::Sketch {
 public:
  Sketch(std::span<const Term> terms, const Question& question)
      : terms_(terms), question_(question) {
    double times = 0;
    for (const Term& term : terms) times += static_cast<double>(term.times);
    const double negligible =
        std::max(1e-11 * (question.asks_epsilon() ? question.at : 1e-30) / times, 1e-290);
    for (const Term& term : terms) {
      ranges_.push_back(range_of(*term.pair, negligible));
      laws_.push_back(sketch(*term.pair, ranges_.back(), {.least_weight = 1.0 / 64}));
    }
    refine(0);
    refine(typical_tilt());
    tabulate();
    refine(tilts_[best()]);
    tabulate();
    best_ = best();
  }

  // The tilt of the best Chernoff bound for the question.
  [[nodiscard]] double tilt() const { return tilts_[best_]; }
  [[nodiscard]] const std::vector<Range>& ranges() const { return ranges_; }
  [[nodiscard]] double log_mgf_of(std::size_t term) const { return laws_[term].log_mgf(tilt()); }

  // The shortest circle that keeps what passes around it to `leak`. A smaller tilt holds the upper
  // tail back, a larger one the lower.
  [[nodiscard]] Tilting tilting(std::optional<double> least, double leak) const {
    const double log_delta = this->log_delta();
    const double nats = -std::log(leak) - log_delta;
    Tilting shortest{.least = least.value_or(least_epsilon()),
                     .length = std::numeric_limits<double>::infinity()};
    // Between two tilts of the table there are so many more.
    constexpr std::size_t kBetween = 4;
    for (std::size_t i = 0; i + 1 < kTilts * kBetween; ++i) {
      const auto [tilt, sum] = between(i, kBetween);
      // Rounding is relative to the largest tilted probability; delta must stand well above it.
      const double log_payoff = log_delta + (tilt * shortest.least) - sum;
      if (log_payoff < std::log(1e-6) && i != best_ * kBetween) continue;
      for (std::size_t j = (i / kBetween) + 1; j < kTilts; ++j) {
        const double length = std::max(
            nats / tilt, (sums_[j] - (tilts_[j] * shortest.least) + nats) / (tilts_[j] - tilt));
        if (length < shortest.length) {
          shortest.tilt = tilt;
          shortest.chernoff = tilts_[j];
          shortest.length = length;
        }
      }
    }
    return shortest;
  }

  // The term whose atoms the lattice is made to hit: the one that adds most to the variance.
  [[nodiscard]] std::optional<Anchors> anchors() const {
    std::optional<Anchors> chosen;
    double most = -1;
    for (std::size_t i = 0; i < terms_.size(); ++i) {
      const std::optional<Anchors> anchors = terms_[i].pair->anchors();
      const double variance = static_cast<double>(terms_[i].times) * variance_of(i);
      if (anchors && variance > most) {
        chosen = anchors;
        most = variance;
      }
    }
    return chosen;
  }

  // A step h adds at most h^2 / 6 to the variance of each term; this one keeps that small against
  // the variance of the sum.
  [[nodiscard]] double wanted_step() const {
    double times = 0;
    for (const Term& term : terms_) times += static_cast<double>(term.times);
    const double deviation = std::sqrt(total(tilt()).variance / times);
    constexpr double kFine = 0.97e-4;   // sharp enough whatever the deviation
    if (deviation == 0) return kFine;   // one loss, or none
    constexpr double kSharp = 1.3e-3;   // of one deviation: adds 3e-7 of the variance
    constexpr double kCoarse = 4.0e-2;  // of one deviation: adds 3e-4 of the variance
    return std::min(kCoarse * deviation, std::max(kSharp * deviation, kFine));
  }

  // The largest step not above 2^-fineness times the wanted one, or a little more, that makes a
  // power of two of the circle and hits the anchors.
  [[nodiscard]] double step(const Tilting& tilting, double fineness) const {
    constexpr double kSmallest = 4096;  // costs hardly more than planning it
    const double length = tilting.length;
    const double wanted = wanted_step() * std::exp2(-fineness);
    const auto size = static_cast<double>(
        std::bit_ceil(static_cast<std::size_t>(std::clamp(length / wanted, kSmallest, 0x1p22))));
    const double step = length / (size - 1);
    const std::optional<Anchors> anchored = anchors();
    if (!anchored) return step;
    const auto [origin, span, spacing] = *anchored;
    if (spacing >= step && terms_.size() == 1) {
      // Atoms are all there is. Yet between two points the tilted payoff must not fall by more than
      // its rounding, or only the upper point would be known.
      constexpr double kNats = 0.5;
      return spacing /
             std::clamp(std::ceil(spacing * tilting.tilt / kNats), 1.0, std::ceil(spacing / step));
    }
    if (spacing >= step) return spacing / std::ceil(spacing / step);
    if (span > step) return span / std::floor(span / step);
    return spacing > 0 ? spacing * std::floor(step / spacing) : step;
  }

 private:
  static constexpr std::size_t kTilts = 36;

  static RoughLaw sketch(const DominatingPair& pair, Range range, const SplitRule& rule) {
    constexpr std::int64_t kPoints = std::int64_t{1} << 24;
    const double width = std::max(range.high - range.low, 1e-9);
    const Lattice lattice{range.low - (width / 64), width / static_cast<double>(kPoints)};
    return RoughLaw(discretize(pair, lattice, 0, kPoints + (kPoints / 32), rule));
  }

  void refine(double tilt) {
    for (std::size_t i = 0; i < terms_.size(); ++i) {
      constexpr double kCoarseness = 1e-4;
      laws_[i] = sketch(*terms_[i].pair, ranges_[i],
                        {.tilt = tilt,
                         .log_mgf = laws_[i].log_mgf(tilt),
                         .least_cost = kCoarseness * laws_[i].moments(tilt).variance,
                         .least_weight = 1e-9});
    }
  }

  // log E[e^(tilt S)] at tilts in geometric progression around the typical one.
  void tabulate() {
    constexpr double kRatio = 1.22;
    tilts_.resize(kTilts);
    sums_.assign(kTilts, 0);
    const double typical = typical_tilt();
    for (std::size_t i = 0; i < kTilts; ++i) {
      tilts_[i] = typical * std::pow(kRatio, static_cast<double>(i) - (0.5 * kTilts));
      for (std::size_t k = 0; k < terms_.size(); ++k) {
        sums_[i] += static_cast<double>(terms_[k].times) * laws_[k].log_mgf(tilts_[i]);
      }
    }
  }

  [[nodiscard]] Moments total(double tilt) const {
    Moments total;
    for (std::size_t i = 0; i < terms_.size(); ++i) {
      const auto times = static_cast<double>(terms_[i].times);
      const Moments one = laws_[i].moments(tilt);
      total.mean += times * one.mean;
      total.variance += times * one.variance;
    }
    return total;
  }

  // As if the sum were normal.
  [[nodiscard]] double typical_tilt() const {
    const Moments normal = total(0);
    const double deviation = std::max(std::sqrt(normal.variance), 1e-12);
    if (question_.asks_epsilon()) return std::sqrt(-2 * std::log(question_.at) + 0.01) / deviation;
    return std::clamp((question_.at - normal.mean) / deviation, 0.1, 40.0) / deviation;
  }

  // The i-th of the tilts of the table when each gap is divided into `parts`, and log E[e^(tilt S)]
  // there, or a little more: it is convex.
  [[nodiscard]] std::pair<double, double> between(std::size_t i, std::size_t parts) const {
    const std::size_t at = i / parts;
    const std::size_t next = std::min(at + 1, kTilts - 1);
    const double part = static_cast<double>(i % parts) / static_cast<double>(parts);
    return {std::lerp(tilts_[at], tilts_[next], part), std::lerp(sums_[at], sums_[next], part)};
  }

  // Where the Chernoff bound, divided by the largest payoff, is best.
  [[nodiscard]] std::size_t best() const {
    std::size_t best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i + 1 < kTilts; ++i) {
      const double log_bound = sums_[i] + log_largest_payoff(tilts_[i]);
      const double bound = question_.asks_epsilon()
                               ? (log_bound - std::log(question_.at)) / tilts_[i]
                               : log_bound - (tilts_[i] * question_.at);
      if (bound < least) {
        least = bound;
        best = i;
      }
    }
    return best;
  }

  // Standard deviation of the tilted sum.
  [[nodiscard]] double deviation() const { return std::sqrt(total(tilt()).variance); }

  // The variance of one term under the tilt.
  [[nodiscard]] double variance_of(std::size_t term) const {
    return laws_[term].moments(tilt()).variance;
  }

  // The payoff of a normal law of the tilted deviation, centred on epsilon.
  [[nodiscard]] double log_typical_payoff() const {
    return -std::log1p(deviation() * 2.5 * tilt() * (tilt() + 1));
  }

  [[nodiscard]] double log_delta() const {
    if (question_.asks_epsilon()) return std::log(question_.at);
    constexpr double kLeast = -600;
    return std::clamp(sums_[best_] - (tilt() * question_.at) + log_typical_payoff(), kLeast, 0.0);
  }

  // No more than the answer, if things are as they seem.
  [[nodiscard]] double least_epsilon() const {
    if (!question_.asks_epsilon()) return question_.at;
    // Nats, and a part for sums of so few atoms that their tail is nothing like a normal one.
    constexpr double kMargin = 3;
    constexpr double kPart = 0.95;
    const double log_payoff = log_typical_payoff() - kMargin;
    return std::max(kPart * (sums_[best_] - log_delta() + log_payoff) / tilt(), 0.0);
  }

  std::span<const Term> terms_;
  Question question_;
  std::vector<Range> ranges_;
  std::vector<RoughLaw> laws_;
  std::vector<double> tilts_;
  std::vector<double> sums_;
  std::size_t best_ = 0;
};

Planner::Planner(std::span<const Term> terms, const Question& question)
    : terms_(terms), sketch_(std::make_unique<const Sketch>(terms, question)) {}

Planner::~Planner() = default;

Composition Planner::compose(const Effort& effort) const {
  const Tilting tilting = sketch_->tilting(effort.least, effort.leak);
  // No finer than losses can be numbered by words, whatever a law of hardly any mass seems to want.
  double largest = 0;
  for (const Range& range : sketch_->ranges()) {
    largest = std::max({largest, std::abs(range.low), std::abs(range.high)});
  }
  const double step = std::max(sketch_->step(tilting, effort.fineness), largest * 0x1p-50);
  std::vector<Component> components;
  for (std::size_t i = 0; i < terms_.size(); ++i) {
    const Range range = sketch_->ranges()[i];
    const std::optional<Anchors> anchors = terms_[i].pair->anchors();
    const Lattice lattice{anchors ? anchors->origin : 0, step};
    const auto first = static_cast<std::int64_t>(std::floor((range.low - lattice.origin) / step));
    const auto last = static_cast<std::int64_t>(std::ceil((range.high - lattice.origin) / step));
    constexpr double kCoarseness = 2e-5;
    const SplitRule rule{.tilt = sketch_->tilt(),
                         .log_mgf = sketch_->log_mgf_of(i),
                         .least_cost = kCoarseness * step * step,
                         .least_weight = 0};
    components.push_back(
        {discretize(*terms_[i].pair, lattice, first, last + 1, rule), terms_[i].times});
  }
  return pld::compose(components, tilting);
}

}  // namespace tacit::pld

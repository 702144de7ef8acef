#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

#include "tacit/privacy/pld_pairs_internal.h"

namespace tacit::pld {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// One outcome of a pair of finite distributions. The loss is told, not computed: q may be too small
// for a double where the loss is not infinite.
struct Outcome {
  double p = 0;
  double q = 0;
  double loss = 0;
};

// Finitely many outcomes, each with its loss.
class FinitePair final : public DominatingPair {
 public:
  explicit FinitePair(std::vector<Outcome> outcomes) {
    std::erase_if(outcomes, [](const Outcome& o) { return o.p == 0 && o.q == 0; });
    std::ranges::sort(outcomes, {}, &Outcome::loss);
    Tails tails{};
    for (const Outcome& outcome : outcomes) {
      tails.p_below += outcome.p;
      tails.q_below += outcome.q;
      losses_.push_back(outcome.loss);
      upto_.push_back(tails);
    }
    Outcome above;
    for (std::size_t k = outcomes.size(); k-- > 0;) {
      upto_[k].p_above = above.p;
      upto_[k].q_above = above.q;
      above.p += outcomes[k].p;
      above.q += outcomes[k].q;
      if (outcomes[k].loss == kInfinity) infinite_ += outcomes[k].p;
    }
  }

  [[nodiscard]] Tails at(double loss) const override {
    const auto next = std::ranges::upper_bound(losses_, loss);
    if (next == losses_.begin()) return {1, 1, 0, 0};
    return upto_[static_cast<std::size_t>(next - losses_.begin()) - 1];
  }

  [[nodiscard]] double infinite_mass() const override { return infinite_; }

  [[nodiscard]] std::optional<Anchors> anchors() const override {
    std::vector<double> finite;
    for (const double loss : losses_) {
      if (std::isfinite(loss) && (finite.empty() || loss > finite.back())) finite.push_back(loss);
    }
    if (finite.size() < 2) return std::nullopt;
    const double span = finite.back() - finite.front();
    const double spacing = finite[1] - finite[0];
    const bool even = std::ranges::all_of(finite, [&](double loss) {
      const double steps = (loss - finite[0]) / spacing;
      return std::abs(steps - std::round(steps)) < 1e-9;
    });
    return Anchors{finite.front(), span, even ? spacing : 0};
  }

 private:
  std::vector<double> losses_;
  std::vector<Tails> upto_;
  double infinite_ = 0;
};

// Integer noise whose loss falls as the outcome x rises, P around 0 and Q around `sensitivity`.
// A threshold of the loss is a threshold of x.
template <class Noise>
class IntegerNoisePair final : public DominatingPair {
 public:
  IntegerNoisePair(Noise noise, double sensitivity)
      : noise_(std::move(noise)), sensitivity_(sensitivity) {}

  [[nodiscard]] Tails at(double loss) const override {
    // The loss is above where x is below this.
    const double x = std::ceil(noise_.outcome_of(loss, sensitivity_));
    const auto [p_below, p_above] = noise_.tails(x);
    const auto [q_below, q_above] = noise_.tails(x - sensitivity_);
    return {p_below, q_below, p_above, q_above};
  }

  [[nodiscard]] std::optional<Anchors> anchors() const override {
    return noise_.anchors(sensitivity_);
  }

 private:
  Noise noise_;
  double sensitivity_;
};

class DiscreteLaplaceNoise {
 public:
  explicit DiscreteLaplaceNoise(double scale) : scale_(scale) {}

  // Y = (|x - s| - |x|) / scale is (s - 2x) / scale between 0 and s and constant outside.
  [[nodiscard]] double outcome_of(double loss, double sensitivity) const {
    if (loss >= sensitivity / scale_) return -kInfinity;
    if (loss < -sensitivity / scale_) return kInfinity;
    return std::clamp((sensitivity - (loss * scale_)) / 2, 0.5, sensitivity - 0.5);
  }

  // The probabilities of less than x and of at least x.
  [[nodiscard]] std::pair<double, double> tails(double x) const {
    if (x > 0) {
      const double beyond = at_least(x);
      return {1 - beyond, beyond};
    }
    const double beyond = at_least(1 - x);
    return {beyond, 1 - beyond};
  }

  [[nodiscard]] Anchors anchors(double sensitivity) const {
    return {-sensitivity / scale_, 2 * sensitivity / scale_, 2 / scale_};
  }

 private:
  [[nodiscard]] double at_least(double x) const {
    return std::exp(-x / scale_) / (1 + std::exp(-1 / scale_));
  }

  double scale_;
};

class DiscreteGaussianNoise {
 public:
  explicit DiscreteGaussianNoise(double variance)
      : variance_(variance), deviation_(std::sqrt(variance)) {
    if (deviation_ < kTabulated) tabulate();
  }

  // Y = ((x - s)^2 - x^2) / (2 variance).
  [[nodiscard]] double outcome_of(double loss, double sensitivity) const {
    return (sensitivity / 2) - (loss * variance_ / sensitivity);
  }

  [[nodiscard]] std::pair<double, double> tails(double x) const {
    if (x > 0) {
      const double beyond = at_least(x);
      return {1 - beyond, beyond};
    }
    const double beyond = at_least(1 - x);
    return {beyond, 1 - beyond};
  }

  [[nodiscard]] Anchors anchors(double sensitivity) const {
    const double spacing = sensitivity / variance_;
    return {.origin = sensitivity * spacing / 2, .spacing = spacing};
  }

 private:
  // From here on the tails are those of the normal law with one term of Euler and Maclaurin's
  // formula; before, sums.
  static constexpr double kTabulated = 0x1p14;
  static constexpr double kDeviations = 38;

  void tabulate() {
    const auto reach = static_cast<std::size_t>(std::ceil(kDeviations * deviation_)) + 1;
    at_least_.assign(reach + 2, 0);
    // Half a million additions would lose more than the error allowed: what each of them loses is
    // added up on the side (Neumaier 1974).
    double sum = 0;
    double lost = 0;
    for (std::size_t x = reach + 1; x-- > 0;) {
      const auto value = static_cast<double>(x);
      const double term = std::exp(-value * value / (2 * variance_));
      const double next = sum + term;
      // Exact whichever of the two is larger (Knuth 1969, Theorem B).
      const double added = next - sum;
      lost += (sum - (next - added)) + (term - added);
      sum = next;
      at_least_[x] = sum + lost;
    }
    const double total = at_least_[0] + at_least_[1];
    for (double& tail : at_least_) tail /= total;
  }

  // For x >= 1.
  [[nodiscard]] double at_least(double x) const {
    if (at_least_.empty()) {
      const double z = (x - 0.5) / deviation_;
      const double normal = 0.5 * std::erfc(z * (std::numbers::sqrt2 / 2));
      const double density = std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
      return std::max(normal - (z * density / (24 * variance_)), 0.0);
    }
    return x < static_cast<double>(at_least_.size()) ? at_least_[static_cast<std::size_t>(x)] : 0;
  }

  double variance_;
  double deviation_;
  std::vector<double> at_least_;
};

}  // namespace

Pair approximate_pair(double epsilon, double delta) {
  const double likely = (1 - delta) / (1 + std::exp(-epsilon));
  const double unlikely = (1 - delta) / (1 + std::exp(epsilon));
  return std::make_shared<FinitePair>(std::vector<Outcome>{{delta, 0, kInfinity},
                                                           {likely, unlikely, epsilon},
                                                           {unlikely, likely, -epsilon},
                                                           {0, delta, -kInfinity}});
}

Pair randomized_response_pair(double categories, double truth, double lie) {
  const double rest = (categories - 2) * lie;
  const double loss = std::log(truth / lie);
  return std::make_shared<FinitePair>(
      std::vector<Outcome>{{truth, lie, loss}, {lie, truth, -loss}, {rest, rest, 0}});
}

Pair discrete_laplace_pair(double scale, double sensitivity) {
  return std::make_shared<IntegerNoisePair<DiscreteLaplaceNoise>>(DiscreteLaplaceNoise(scale),
                                                                  sensitivity);
}

Pair discrete_gaussian_pair(double variance, double sensitivity) {
  return std::make_shared<IntegerNoisePair<DiscreteGaussianNoise>>(DiscreteGaussianNoise(variance),
                                                                   sensitivity);
}

}  // namespace tacit::pld

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "tacit/privacy/pld_pairs_internal.h"

namespace tacit::pld {
namespace {

// The probability that a standard normal variable is above x.
double normal_above(double x) { return 0.5 * std::erfc(x * std::numbers::sqrt2 / 2); }

// P = N(mu, 1) and Q = N(0, 1), mu = 1 / noise multiplier: Y = mu x - mu^2 / 2.
class GaussianPair final : public DominatingPair {
 public:
  explicit GaussianPair(double noise_multiplier) : mu_(1 / noise_multiplier) {}

  [[nodiscard]] Tails at(double loss) const override {
    const double from_p = (loss / mu_) - (mu_ / 2);
    const double from_q = (loss / mu_) + (mu_ / 2);
    return {normal_above(from_p), normal_above(from_q), normal_above(-from_p),
            normal_above(-from_q)};
  }

 private:
  double mu_;
};

// P = Laplace(0, b) and Q = Laplace(1, b): Y = (|x - 1| - |x|) / b, with atoms at both ends.
class LaplacePair final : public DominatingPair {
 public:
  explicit LaplacePair(double noise_multiplier) : epsilon_(1 / noise_multiplier) {}

  [[nodiscard]] Tails at(double loss) const override {
    if (loss < -epsilon_) return {1, 1, 0, 0};
    if (loss >= epsilon_) return {0, 0, 1, 1};
    const double p_below = 0.5 * std::exp((loss - epsilon_) / 2);
    const double q_above = 0.5 * std::exp((-loss - epsilon_) / 2);
    return {1 - p_below, q_above, p_below, 1 - q_above};
  }

  [[nodiscard]] std::optional<Anchors> anchors() const override {
    return Anchors{-epsilon_, 2 * epsilon_, false};
  }

 private:
  double epsilon_;
};

// Both directions see the base pair at another threshold: with L = dP/dQ of the base, the loss is
// log(1 - q + q L) when a unit is removed and -log(1 - q + q / L) when one is added.
class PoissonPair final : public DominatingPair {
 public:
  PoissonPair(Pair base, double rate, Direction direction)
      : base_(std::move(base)), rate_(rate), direction_(direction) {}

  [[nodiscard]] Tails at(double loss) const override {
    return direction_ == Direction::kRemove ? removed(loss) : added(loss);
  }

  [[nodiscard]] double tail_error() const override { return 2 * base_->tail_error(); }

  [[nodiscard]] double infinite_mass() const override {
    return direction_ == Direction::kRemove ? rate_ * base_->infinite_mass() : 0;
  }

  [[nodiscard]] std::optional<Anchors> anchors() const override {
    const std::optional<Anchors> base = base_->anchors();
    if (!base) return std::nullopt;
    const double lowest = loss_of(base->origin);
    const double highest = loss_of(base->origin + base->spacing);
    return Anchors{lowest, highest - lowest, false};
  }

 private:
  [[nodiscard]] double loss_of(double base_loss) const {
    return direction_ == Direction::kRemove ? std::log1p(rate_ * std::expm1(base_loss))
                                            : -std::log1p(rate_ * std::expm1(-base_loss));
  }

  // log((e^loss - (1 - rate)) / rate), the base loss that `loss` comes from.
  [[nodiscard]] double base_loss(double loss) const {
    return std::log1p(std::max(std::expm1(loss) / rate_, kLeastRatio - 1));
  }

  [[nodiscard]] Tails removed(double loss) const {
    if (loss < std::log1p(-rate_)) return {1, 1, 0, 0};
    const Tails base = base_->at(base_loss(loss));
    return {mix(base.q_above, base.p_above), base.q_above, mix(base.q_below, base.p_below),
            base.q_below};
  }

  [[nodiscard]] Tails added(double loss) const {
    if (loss >= -std::log1p(-rate_)) return {0, 0, 1, 1};
    const Tails base = base_->at(-base_loss(-loss));
    return {base.p_above, mix(base.p_above, base.q_above), base.p_below,
            mix(base.p_below, base.q_below)};
  }

  [[nodiscard]] double mix(double without, double with) const {
    return ((1 - rate_) * without) + (rate_ * with);
  }

  static constexpr double kLeastRatio = 0x1p-52;

  Pair base_;
  double rate_;
  Direction direction_;
};

}  // namespace

Pair gaussian_pair(double noise_multiplier) {
  return std::make_shared<GaussianPair>(noise_multiplier);
}

Pair laplace_pair(double noise_multiplier) {
  return std::make_shared<LaplacePair>(noise_multiplier);
}

Pair poisson_pair(Pair base, double rate, Direction direction) {
  return std::make_shared<PoissonPair>(std::move(base), rate, direction);
}

}  // namespace tacit::pld

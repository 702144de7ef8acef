#include <algorithm>
#include <cmath>
#include <utility>

#include "tacit/privacy/pld_pairs_internal.h"

namespace tacit::pld {
namespace {

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
    const double highest = loss_of(base->origin + base->span);
    // Two atoms stay two atoms, unless infinite losses of the base became finite ones.
    const bool two_atoms = base->spacing >= base->span && base_->infinite_mass() == 0;
    const double spacing = two_atoms ? highest - lowest : 0;
    return Anchors{lowest, highest - lowest, spacing};
  }

 private:
  [[nodiscard]] double loss_of(double base_loss) const {
    return direction_ == Direction::kRemove ? mixed(base_loss) : -mixed(-base_loss);
  }

  // log(1 - rate + rate e^loss), also where e^loss has no double.
  [[nodiscard]] double mixed(double loss) const {
    constexpr double kLarge = 100;
    return loss < kLarge ? std::log1p(rate_ * std::expm1(loss)) : loss + std::log(rate_);
  }

  // log((e^loss - (1 - rate)) / rate), the base loss that `loss` comes from.
  [[nodiscard]] double base_loss(double loss) const {
    // Each form loses nothing where it is taken: an error of a few units in the last place of the
    // exponential is one of the loss.
    constexpr double kNear = -0.5;
    if (loss > kNear) return std::log1p(std::max(std::expm1(loss) / rate_, 0x1p-53 - 1));
    constexpr double kLeastRatio = 1e-300;
    return std::log(std::max((std::exp(loss) - (1 - rate_)) / rate_, kLeastRatio));
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

  Pair base_;
  double rate_;
  Direction direction_;
};

}  // namespace

Pair poisson_pair(Pair base, double rate, Direction direction) {
  return std::make_shared<PoissonPair>(std::move(base), rate, direction);
}

}  // namespace tacit::pld

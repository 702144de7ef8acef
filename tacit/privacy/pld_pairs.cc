#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "tacit/privacy/pld_pairs_internal.h"

namespace tacit::pld {
namespace {

// The probabilities that a standard normal variable is above x and below x.
std::pair<double, double> normal_tails(double x) {
  const double beyond = 0.5 * std::erfc(std::abs(x) * (std::numbers::sqrt2 / 2));
  return x > 0 ? std::pair{beyond, 1 - beyond} : std::pair{1 - beyond, beyond};
}

// The least double not below 1 / value.
double inverse_above(double value) {
  const double nearest = 1 / value;
  const bool below = std::fma(nearest, value, -1.0) < 0;
  return below ? std::nextafter(nearest, std::numeric_limits<double>::infinity()) : nearest;
}

// P = N(mu, 1) and Q = N(0, 1), mu = 1 / noise multiplier: Y = mu x - mu^2 / 2.
class GaussianPair final : public DominatingPair {
 public:
  explicit GaussianPair(double noise_multiplier) : mu_(inverse_above(noise_multiplier)) {}

  [[nodiscard]] Tails at(double loss) const override {
    const auto [p_above, p_below] = normal_tails((loss / mu_) - (mu_ / 2));
    const auto [q_above, q_below] = normal_tails((loss / mu_) + (mu_ / 2));
    return {p_above, q_above, p_below, q_below};
  }

 private:
  double mu_;
};

// P = Laplace(0, b) and Q = Laplace(1, b): Y = (|x - 1| - |x|) / b, with atoms at both ends.
class LaplacePair final : public DominatingPair {
 public:
  explicit LaplacePair(double noise_multiplier) : epsilon_(inverse_above(noise_multiplier)) {}

  [[nodiscard]] Tails at(double loss) const override {
    if (loss < -epsilon_) return {1, 1, 0, 0};
    if (loss >= epsilon_) return {0, 0, 1, 1};
    const double p_below = 0.5 * std::exp((loss - epsilon_) / 2);
    const double q_above = 0.5 * std::exp((-loss - epsilon_) / 2);
    return {1 - p_below, q_above, p_below, 1 - q_above};
  }

  [[nodiscard]] std::optional<Anchors> anchors() const override {
    return Anchors{.origin = -epsilon_, .span = 2 * epsilon_};
  }

 private:
  double epsilon_;
};

// The curve is the largest over all pairs of two losses `range` apart, which attain what a
// mechanism of that range can do: H(e^y) = (1 - e^((y - range) / 2))^2 / (1 - e^-range).
class BoundedRangePair final : public DominatingPair {
 public:
  explicit BoundedRangePair(double range) : range_(range), scale_(-std::expm1(-range)) {}

  [[nodiscard]] Tails at(double loss) const override {
    if (loss < -range_) return {1, 1, 0, 0};
    if (loss >= range_) return {0, 0, 1, 1};
    const double from_top = (range_ - loss) / 2;
    const double from_bottom = (range_ + loss) / 2;
    const double above = -std::expm1(-from_top) / scale_;
    const double below = -std::expm1(-from_bottom) / scale_;
    return {above, std::exp(-from_bottom) * above, std::exp(-from_top) * below, below};
  }

  [[nodiscard]] std::optional<Anchors> anchors() const override {
    return Anchors{.origin = -range_, .span = 2 * range_};
  }

 private:
  double range_;
  double scale_;
};

}  // namespace

Pair gaussian_pair(double noise_multiplier) {
  return std::make_shared<GaussianPair>(noise_multiplier);
}

Pair laplace_pair(double noise_multiplier) {
  return std::make_shared<LaplacePair>(noise_multiplier);
}

Pair bounded_range_pair(double epsilon) { return std::make_shared<BoundedRangePair>(epsilon); }

}  // namespace tacit::pld

#include "tacit/privacy/renyi_subsampled_gaussian.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tacit/privacy/renyi_binomial_internal.h"
#include "tacit/privacy/renyi_leaves.h"
#include "tacit/privacy/renyi_rounding_internal.h"
#include "tacit/privacy/renyi_sampling.h"

namespace tacit::renyi {
namespace {

constexpr double kPi = std::numbers::pi;
// More points than this are not worth their time: the norm inequality is tight there.
constexpr double kMostPoints = 1 << 16;
// e^x stays finite with room for sums.
constexpr double kLargestExponent = 600;

// The trapezoidal rule with step h for E[g(t)], t standard normal, g(t) = (1 + u)^a - 1 - a u with
// u = q (e^w - 1) and w = mu t - mu^2 / 2. E[u] = 0, so this is E[(1 + u)^a] - 1, and g >= 0 by
// Bernoulli's inequality: nothing cancels between points.
class Quadrature {
 public:
  Quadrature(double rate, double noise_multiplier, double order);

  [[nodiscard]] bool affordable() const {
    return (order_ * mu_ + 2 * std::sqrt(2 * digits_)) / step_ < kMostPoints;
  }
  // An upper bound on log E[(1 + u)^a].
  double log_moment();

 private:
  struct Point {
    double power;  // (1 + u)^a times the density (without 1 / sqrt(2 pi)) and e^-shift
    double value;  // g(t) likewise
    double error;  // of the value, in units of 2^-53
  };

  [[nodiscard]] Point at(double t) const;
  [[nodiscard]] double log_power(double t) const;
  void choose_step();
  void choose_shift();
  void add(const Point& point);
  void sum_left();
  void sum_right();

  double rate_;
  double mu_;
  double order_;
  double digits_ = 0;  // the rule's error is e^-digits, relative
  double step_ = 0;
  double shift_ = 0;
  double sum_ = 0;
  double error_ = 0;  // in units of 2^-53
  double tails_ = 0;
  double points_ = 0;
};

Quadrature::Quadrature(double rate, double noise_multiplier, double order)
    : rate_(rate), mu_(1 / noise_multiplier), order_(order) {
  choose_step();
}

// The integrand and its two subtracted parts are analytic for |Im t| < pi / mu, where their
// modulus is at most e^(Im(t)^2 / 2) times their value at Re t. Hence the rule errs by at most
// 2 e^(s^2 / 2) / (e^(2 pi s / h) - 1), relative, for any s <= pi / mu (Trefethen and Weideman
// 2014, Theorem 5.1), least at s = 2 pi / h.
void Quadrature::choose_step() {
  const double excess =
      std::min(1.0, order_ * (order_ - 1) / 2 * rate_ * rate_ * std::expm1(mu_ * mu_));
  digits_ = std::clamp(41 - std::log(excess) + std::log1p(order_ * rate_), 41.0, 200.0);
  const double strip = std::min(kPi / mu_, std::sqrt(2 * digits_));
  // Few bits, so that multiples of the step are exact.
  step_ = static_cast<double>(static_cast<float>(2 * kPi * strip / (digits_ + strip * strip / 2)));
}

double Quadrature::log_power(double t) const {
  const double w = mu_ * t - mu_ * mu_ / 2;
  const double log_base =
      w < 30 ? std::log1p(rate_ * std::expm1(w)) : w + std::log(rate_ + (1 - rate_) * std::exp(-w));
  return order_ * log_base - t * t / 2;
}

// Only where the moment could overflow: its exponent is at most that of the plain Gaussian.
void Quadrature::choose_shift() {
  if (order_ * (order_ - 1) * mu_ * mu_ / 2 < kLargestExponent) return;
  double most = 0;
  for (int k = 0; k * step_ < order_ * mu_ + 1; ++k) most = std::max(most, log_power(k * step_));
  shift_ = most > kLargestExponent ? most : 0;
}

Quadrature::Point Quadrature::at(double t) const {
  const double drift = mu_ * mu_ / 2;
  const double w = mu_ * t - drift;
  const double w_error = 2 * (mu_ * std::abs(t) + drift);
  const double gauss = std::exp(-t * t / 2 - shift_);
  const double gauss_error = 8 + t * t + shift_;
  if (w >= 30) {
    const double log_base = w + std::log(rate_ + (1 - rate_) * std::exp(-w));
    const double exponent = order_ * log_base;
    const double power = std::exp(exponent - t * t / 2 - shift_);
    const double error = 8 + 4 * std::abs(exponent) +
                         order_ * (w_error + 8 + 4 * std::abs(w - log_base)) + t * t + shift_;
    // 1 + a u is less than the other part by a factor of e^(30 (a - 1)) or q; it is left out
    // where e^w would overflow, which only raises the bound.
    const double linear = w < kLargestExponent ? (1 + order_ * rate_ * std::expm1(w)) * gauss : 0;
    return {power, std::max(0.0, power - linear),
            power * error + linear * (gauss_error + w_error + 16)};
  }
  const double u = rate_ * std::expm1(w);
  if (in_binomial_series(u, order_)) {
    const double g = binomial_series(u, order_);
    const double slope = 1.6 * order_ * (order_ - 1) * std::abs(u) * (std::abs(u) + rate_);
    return {gauss * 1.5, g * gauss, (g * (gauss_error + 64) + slope * w_error) * gauss};
  }
  const double log_base = std::log1p(u);
  const double exponent = order_ * log_base;
  const double power = std::exp(exponent - t * t / 2 - shift_);
  const double linear = (1 + order_ * u) * gauss;
  const double share = (u + rate_) / (1 + u);
  const double power_error =
      8 + 8 * std::abs(exponent) + order_ * share * (w_error + 8) + t * t + shift_;
  const double linear_error =
      gauss * ((1 + std::abs(order_ * u)) * (gauss_error + 8) + order_ * (u + rate_) * w_error);
  return {power, std::max(0.0, power - linear), power * power_error + linear_error};
}

void Quadrature::add(const Point& point) {
  sum_ += point.value;
  error_ += point.error;
  points_ += 1;
}

// To the left of 0, u lies in [-q, 0] and g is at most g(-q) <= a (a - 1) / 2 q^2 (1 - q)^min(0,
// a - 2), and also at most a q; the density sums to less than density / |t|.
void Quadrature::sum_left() {
  const double square =
      order_ * (order_ - 1) / 2 * rate_ * rate_ * std::pow(1 - rate_, std::min(0.0, order_ - 2));
  const double most = std::min(square, order_ * rate_);
  for (int k = 1;; ++k) {
    const double t = -k * step_;
    add(at(t));
    const double tail = most * std::exp(-t * t / 2 - shift_) / -t / step_;
    if (t < -1 && tail <= sum_ * (kUnit / 64)) {
      tails_ += tail;
      return;
    }
  }
}

// Beyond t >= a mu + s the integrand (1 + u)^a e^(-t^2 / 2) falls at least like e^(-s t).
void Quadrature::sum_right() {
  for (int k = 0;; ++k) {
    const double t = k * step_;
    const Point point = at(t);
    add(point);
    const double slope = t - order_ * mu_;
    const double tail = 2 * point.power / slope / step_;
    if (slope >= 1 && tail <= sum_ * (kUnit / 64)) {
      tails_ += tail;
      return;
    }
  }
}

double Quadrature::log_moment() {
  choose_shift();
  sum_right();
  sum_left();
  const double scale = step_ / std::sqrt(2 * kPi);
  const double rule = 2 * std::exp(-digits_ + 1);
  const double scaled_one = std::exp(-shift_);
  const double sum = up(sum_ + (error_ + sum_ * points_) * kUnit + tails_, 16);
  const double excess =
      up((sum * scale + rule * (2 + 2 * order_ * rate_) * scaled_one) / (1 - rule), 16);
  if (shift_ == 0) return up(std::log1p(excess), 4);
  return up(shift_ + std::log(excess + up(scaled_one, 4)), 16);
}

}  // namespace

double of_subsampled_gaussian(double rate, double noise_multiplier, double order) {
  if (rate == 0) return 0;
  const double plain = of_zcdp(up(0.5 / (noise_multiplier * noise_multiplier), 4), order);
  if (rate >= 1 || plain == kInfinity) return plain;
  const double simple = std::min(plain, by_norm_inequality(rate, plain, order));
  Quadrature quadrature(rate, noise_multiplier, order);
  if (!quadrature.affordable()) return simple;
  return std::min(simple, up(quadrature.log_moment() / (order - 1), 4));
}

}  // namespace tacit::renyi

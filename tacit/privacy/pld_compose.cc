#include "tacit/privacy/pld_compose_internal.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

namespace tacit::pld {
namespace {

constexpr double kUnit = std::numeric_limits<double>::epsilon() / 2;

// A bound on log E under both laws of the sum, and its tilts.
struct SumMgf {
  double upper = 0;
  double lower = 0;
};

SumMgf sum_log_mgf(std::span<const Component> components, double tilt) {
  SumMgf sum;
  for (const Component& component : components) {
    const LogMgf one = log_mgf(component.law, tilt);
    sum.upper += static_cast<double>(component.times) * one.upper;
    sum.lower += static_cast<double>(component.times) * one.lower;
  }
  return sum;
}

// Raises to a power by squaring: one rounding of sqrt(5) u for each unit of the exponent at most.
Complex power(Complex base, std::uint64_t exponent) {
  Complex result{1, 0};
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1) result = result * base;
    base = base * base;
  }
  return result;
}

// The spectra of the two laws of a sum, built up component by component. The upper law travels as
// the real part and the lower as the imaginary part of one transform; their spectra come apart by
// symmetry, and are kept at a slot and at its mirror.
class SpectrumProduct {
 public:
  explicit SpectrumProduct(std::size_t size) : fft_(size), doubt_(size + 2, 0) {}

  void multiply(const Component& component, double tilt, const LogMgf& scale) {
    std::vector<Complex> values(fft_.size());
    const auto mask = static_cast<std::uint64_t>(fft_.size() - 1);
    const Discretization& law = component.law;
    for (std::size_t k = 0; k < law.knots.size(); ++k) {
      const double exponent = tilt * law.loss(k);
      Complex& value = values[static_cast<std::uint64_t>(law.knots[k]) & mask];
      value.re += tilted(law.upper[k], exponent - scale.upper);
      value.im += tilted(law.lower[k], exponent - scale.lower);
    }
    fft_.forward(values);
    negligible_ = negligible_coefficient(component.times);
    const bool first = product_.empty();
    std::vector<Complex>& into = first ? values : product_;
    for (std::size_t slot = 0; slot < values.size(); ++slot) {
      const std::size_t mirror = Fft::mirror(slot);
      if (mirror < slot) continue;
      const Pair coefficient = separate(values, slot, mirror);
      const Pair before = first ? Pair{{1, 0}, {1, 0}} : stored(product_, slot, mirror);
      store(into, slot, mirror,
            {raise(before.upper, coefficient.upper, component.times, doubt_[slot]),
             raise(before.lower, coefficient.lower, component.times,
                   doubt_[place_of_lower_doubt(slot, mirror)])});
    }
    if (first) product_ = std::move(values);
  }

  // The tilted probabilities of the two laws, as real and imaginary parts, at the sums' indices
  // modulo the size; and bounds of their errors.
  std::vector<Complex> invert(double& upper_error, double& lower_error) {
    const auto size = static_cast<double>(fft_.size());
    double magnitudes = 0;
    upper_error = lower_error = 0;
    for (std::size_t slot = 0; slot < product_.size(); ++slot) {
      const std::size_t mirror = Fft::mirror(slot);
      if (mirror < slot) continue;
      const auto [upper, lower] = stored(product_, slot, mirror);
      const double upper_size = std::sqrt(squared_magnitude(upper));
      const double lower_size = std::sqrt(squared_magnitude(lower));
      const double copies = mirror == slot ? 1 : 2;
      magnitudes += copies * (upper_size + lower_size);
      upper_error += copies * (error_of(upper_size, doubt_[slot]) + kNegligible);
      lower_error +=
          copies * (error_of(lower_size, doubt_[place_of_lower_doubt(slot, mirror)]) + kNegligible);
      const Complex joined = upper + times_i(lower);
      const Complex mirrored = conjugate(upper) + times_i(conjugate(lower));
      product_[slot] = {joined.re / size, joined.im / size};
      product_[mirror] = {mirrored.re / size, mirrored.im / size};
    }
    fft_.inverse(product_);
    const double transform_error = (fft_.error() + kUnit) * magnitudes;
    upper_error = (upper_error + transform_error) / size;
    lower_error = (lower_error + transform_error) / size;
    return std::move(product_);
  }

 private:
  // Powers below this are dropped and counted as error.
  static constexpr double kNegligible = 0x1p-80;
  static constexpr double kLogNegligible = -82 * std::numbers::ln2;

  struct Pair {
    Complex upper;
    Complex lower;
  };

  // The coefficients of the two laws at the frequency of `slot`, from that of upper + i lower.
  static Pair separate(const std::vector<Complex>& values, std::size_t slot, std::size_t mirror) {
    const Complex sum = values[slot] + conjugate(values[mirror]);
    const Complex difference = values[slot] - conjugate(values[mirror]);
    return {{sum.re / 2, sum.im / 2}, {difference.im / 2, -difference.re / 2}};
  }

  // The doubt of the upper coefficient lies at the slot and that of the lower at its mirror; the
  // two slots that are their own mirrors, 0 and 1, have the lower one's beyond the end.
  [[nodiscard]] std::size_t place_of_lower_doubt(std::size_t slot, std::size_t mirror) const {
    return slot == mirror ? fft_.size() + slot : mirror;
  }

  // The two frequencies that are their own mirrors have real coefficients, which share one slot.
  static Pair stored(const std::vector<Complex>& product, std::size_t slot, std::size_t mirror) {
    if (slot == mirror) return {{product[slot].re, 0}, {product[slot].im, 0}};
    return {product[slot], product[mirror]};
  }

  static void store(std::vector<Complex>& product, std::size_t slot, std::size_t mirror,
                    const Pair& pair) {
    if (slot == mirror) {
      product[slot] = {pair.upper.re, pair.lower.re};
    } else {
      product[slot] = pair.upper;
      product[mirror] = pair.lower;
    }
  }

  // product * coefficient^times, or zero where that is negligible, and then without doubt. `doubt`
  // is the logarithm of how much larger the exact product's magnitude may be.
  Complex raise(Complex product, Complex coefficient, std::uint64_t times, double& doubt) const {
    const double squared = squared_magnitude(coefficient);
    if (squared < negligible_ && doubt < 1) {
      doubt = 0;
      return {0, 0};
    }
    double magnitude = std::sqrt(squared);
    double error = coefficient_error();
    // A coefficient below its own error stands for any below twice that; it is set to the error, so
    // that its powers do not leave the range of doubles faster than their bound falls.
    if (magnitude < error) {
      coefficient = {error, 0};
      magnitude = error;
      error = 3 * error;
    }
    const double ratio = error / magnitude;
    const double growth = ratio < 1e-3 ? ratio : std::log1p(ratio);
    const auto count = static_cast<double>(times);
    const Complex raised = product * power(coefficient, times);
    const double grown = doubt + (count * (growth + (4 * kUnit)));
    const double before = squared_magnitude(product);
    const bool dropped = before == 0 && doubt == 0;
    const bool vanishes = before > 0 && squared_magnitude(raised) < kNegligible * kNegligible;
    if (dropped || (vanishes && (std::log(before) / 2) + (count * std::log(magnitude)) + grown <
                                    kLogNegligible)) {
      doubt = 0;
      return {0, 0};
    }
    doubt = grown;
    return raised;
  }

  // What a product of this size may be off by. One that vanished, yet was not dropped as
  // negligible, left the range of doubles: its error is not known.
  static double error_of(double size, double doubt) {
    if (doubt == 0) return 0;
    if (size <= 0) return std::numeric_limits<double>::infinity();
    // e^x - 1 < x + x^2 up to 1.
    return size * (doubt < 1e-3 ? doubt + (doubt * doubt) : std::expm1(doubt));
  }

  // Of one coefficient: the two laws share a transform, and each sums to one.
  [[nodiscard]] double coefficient_error() const { return 2 * fft_.error(); }

  // The square of a magnitude so small that its power, its error included, is negligible.
  [[nodiscard]] double negligible_coefficient(std::uint64_t times) const {
    const double root = std::pow(kNegligible / 4, 1 / static_cast<double>(times));
    const double magnitude = root - coefficient_error();
    return magnitude > 0 ? magnitude * magnitude : 0;
  }

  Fft fft_;
  std::vector<Complex> product_;
  std::vector<double> doubt_;
  double negligible_ = 0;
};

double infinite_share(std::span<const Component> components, double Discretization::* mass) {
  double log_finite = 0;
  for (const Component& component : components) {
    log_finite += static_cast<double>(component.times) * std::log1p(-(component.law.*mass));
  }
  return -std::expm1(log_finite);
}

}  // namespace

double log_largest_payoff(double tilt) {
  return tilt > 0 ? -(tilt * std::log1p(1 / tilt)) - std::log1p(tilt) : 0;
}

Composition compose(std::span<const Component> components, const Tilting& tilting) {
  const double step = components.front().law.lattice.step;
  const std::size_t size = std::bit_ceil(
      std::max<std::size_t>(static_cast<std::size_t>(tilting.length / step) + 1, 1024));

  double offset = 0;
  double slack = 0;
  SumMgf at_tilt;
  SpectrumProduct spectrum(size);
  for (const Component& component : components) {
    const double times = static_cast<double>(component.times);
    const LogMgf scale = log_mgf(component.law, tilting.tilt);
    at_tilt.upper += times * scale.upper;
    at_tilt.lower += times * scale.lower;
    offset += times * component.law.lattice.origin;
    slack += times * component.law.slack;
    spectrum.multiply(component, tilting.tilt, scale);
  }
  const auto first = static_cast<std::int64_t>(std::floor((tilting.least - offset) / step)) - 1;

  Composition composition;
  composition.slack = slack;
  SummedLaw& upper = composition.upper;
  SummedLaw& lower = composition.lower;
  const auto circle =
      std::make_shared<const std::vector<Complex>>(spectrum.invert(upper.error, lower.error));
  upper.part = &Complex::re;
  lower.part = &Complex::im;
  upper.log_scale = at_tilt.upper;
  lower.log_scale = at_tilt.lower;
  for (SummedLaw* law : {&upper, &lower}) {
    law->circle = circle;
    law->first_slot = static_cast<std::uint64_t>(first) & (size - 1);
    law->first_loss = offset + (static_cast<double>(first) * step);
    law->step = step;
    law->tilt = tilting.tilt;
  }

  const SumMgf chernoff = sum_log_mgf(components, tilting.chernoff);
  const double length = step * static_cast<double>(size);
  const double lost = std::exp(chernoff.upper - (tilting.chernoff * (upper.first_loss + length)));
  const double from_above = std::exp(log_largest_payoff(tilting.tilt) + chernoff.lower -
                                     (tilting.chernoff * lower.first_loss) -
                                     ((tilting.chernoff - tilting.tilt) * length));
  const double from_below = 1 / std::expm1(tilting.tilt * length);
  upper.constant = infinite_share(components, &Discretization::upper_infinite) + lost;
  lower.constant =
      infinite_share(components, &Discretization::lower_infinite) - from_above - from_below;
  return composition;
}

}  // namespace tacit::pld

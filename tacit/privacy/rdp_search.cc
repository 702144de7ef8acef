#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "tacit/privacy/rdp_search_internal.h"
#include "tacit/privacy/renyi_rounding_internal.h"

namespace tacit::renyi {
namespace {

constexpr double kFirstGuess = 8;    // order - 1
constexpr double kLeast = 0x1p-20;   // of order - 1
constexpr double kMost = 0x1p40;     // of order - 1
constexpr double kTolerance = 1e-6;  // of log(order - 1); the value is flat at its minimum
constexpr int kMostSteps = 100;
constexpr double kGolden = 2 - std::numbers::phi;

class Downhill {
 public:
  explicit Downhill(const std::function<double(double)>& function) : function_(function) {}

  // At order 1 + e^x.
  double at(double x) { return at_order(1 + std::exp(x)); }

  double at_order(double order) {
    const double value = function_(order);
    if (value < best_.value) best_ = {.order = order, .value = value};
    return value;
  }

  void search();

  [[nodiscard]] Minimum best() const { return best_; }

 private:
  void refine(double low, double middle, double high);

  const std::function<double(double)>& function_;
  Minimum best_{.order = 2, .value = kInfinity};
  double middle_value_ = kInfinity;
};

// Doubles or halves order - 1 until both sides are higher.
void Downhill::search() {
  const double step = std::log(2.0);
  double x = std::log(kFirstGuess);
  middle_value_ = at(x);
  while (middle_value_ == kInfinity && x > std::log(kLeast)) middle_value_ = at(x -= step);
  if (middle_value_ == kInfinity) return;
  double right = at(x + step);
  double left = right < middle_value_ ? middle_value_ : at(x - step);
  while (left < middle_value_ && x > std::log(kLeast)) {
    right = std::exchange(middle_value_, left);
    x -= step;
    left = at(x - step);
  }
  while (right < middle_value_ && x < std::log(kMost)) {
    middle_value_ = right;
    x += step;
    right = at(x + step);
  }
  refine(x - step, x, x + step);
}

// Brent's minimization (1973): parabolas through the three best points, golden sections where a
// parabola would not help.
void Downhill::refine(double low, double middle, double high) {
  double x = middle;
  double second = middle;
  double third = middle;
  double value = middle_value_;
  double second_value = value;
  double third_value = value;
  double step = 0;
  double step_before = 0;
  for (int i = 0; i < kMostSteps; ++i) {
    const double centre = (low + high) / 2;
    if (std::abs(x - centre) + (high - low) / 2 <= 2 * kTolerance) return;
    const double r = (x - second) * (value - third_value);
    const double q = (x - third) * (value - second_value);
    const double denominator = 2 * (q - r);
    const double numerator = ((x - third) * q - (x - second) * r) * (denominator > 0 ? -1 : 1);
    const double size = std::abs(denominator);
    const bool parabola = std::abs(step_before) > kTolerance &&
                          std::abs(numerator) < size * std::abs(step_before) / 2 &&
                          numerator > size * (low - x) && numerator < size * (high - x);
    if (parabola) {
      step_before = std::exchange(step, numerator / size);
    } else {
      step_before = x < centre ? high - x : low - x;
      step = kGolden * step_before;
    }
    if (std::abs(step) < kTolerance) step = std::copysign(kTolerance, step);
    const double next = x + step;
    const double next_value = at(next);
    if (next_value <= value) {
      (next < x ? high : low) = x;
      third = std::exchange(second, x);
      third_value = std::exchange(second_value, value);
      x = next;
      value = next_value;
    } else {
      (next < x ? low : high) = next;
      if (next_value <= second_value || second == x) {
        third = std::exchange(second, next);
        third_value = std::exchange(second_value, next_value);
      } else if (next_value <= third_value || third == x || third == second) {
        third = next;
        third_value = next_value;
      }
    }
  }
}

}  // namespace

Minimum minimize_over_orders(const std::function<double(double order)>& function,
                             const std::vector<double>& landmarks) {
  Downhill downhill(function);
  for (const double order : landmarks) downhill.at_order(order);
  downhill.search();
  const double whole = std::floor(downhill.best().order);
  if (whole >= 2) downhill.at_order(whole);
  downhill.at_order(whole + 1);
  return downhill.best();
}

}  // namespace tacit::renyi

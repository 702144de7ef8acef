#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "tacit/mechanisms/statistics/sum.h"
#include "tacit/mechanisms/testing/binomial_bounds.h"
#include "tacit/mechanisms/testing/verdict.h"

namespace tacit::testing {

inline Rational number(const char* text) { return Rational::parse(text).value(); }

inline ColumnParameters column(const char* lower, const char* upper,
                               NoiseTarget target = PureTarget{1}) {
  return {.lower = number(lower), .upper = number(upper), .target = std::move(target)};
}

// One of each kind.
inline std::vector<NoiseTarget> targets() {
  return {PureTarget{1}, ZcdpTarget{number("0.5")}, ApproximateTarget{1, number("1e-6")}};
}

// How often intervals, or a part of their width, held the truth.
class Coverage {
 public:
  explicit Coverage(double width = 1) : width_(width) {}

  void add(const Released<double>& released, double truth) {
    ++trials_;
    const double error = std::abs(released.value - truth);
    covered_ += error <= width_ * released.interval.half_width ? 1U : 0U;
  }
  // Rejects where the truth was held less often than claimed.
  [[nodiscard]] Verdict at_least(double confidence) const {
    if (upper_bound(covered_, trials_, kFalseAlarm) >= confidence) return Verdict::accept();
    return Verdict::reject(std::to_string(covered_) + " of " + std::to_string(trials_));
  }

 private:
  double width_;
  std::uint64_t trials_ = 0;
  std::uint64_t covered_ = 0;
};

}  // namespace tacit::testing

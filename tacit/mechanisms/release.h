#pragma once

#include <string_view>

namespace tacit {

// How far an interval can be trusted.
enum class IntervalKind {
  kExact,        // from the law of the noise alone: coverage is at least the confidence
  kApproximate,  // computed from released values; coverage is checked by simulation
  kNone,         // the answer is a choice, not a number near one (a selected key, a winner)
};

// "exact", "approximate" or "none".
constexpr std::string_view name(IntervalKind kind) {
  switch (kind) {
    case IntervalKind::kExact:
      return "exact";
    case IntervalKind::kApproximate:
      return "approximate";
    case IntervalKind::kNone:
      break;
  }
  return "none";
}

// The confidence of the interval that comes with every release; half_width() gives others.
inline constexpr double kDefaultConfidence = 0.95;

// What an interval promises, and what it does not. To be shown wherever one is shown.
inline constexpr std::string_view kIntervalCovers =
    "The interval covers the noise. It does not cover values moved by clamping, rows or "
    "contributions that were dropped, or the rounding of inputs to the grid.";

// The noiseless answer of the mechanism lies within half_width of the released value with
// probability at least `confidence`. Says nothing about the data before clamping.
struct Interval {
  double half_width = 0;
  double confidence = 0;
  IntervalKind kind = IntervalKind::kNone;
  bool operator==(const Interval&) const = default;
};

// What leaves: a value that a consumed Permit has paid for, and how far the noise may have moved
// it. For a vector the interval holds for each coordinate by itself.
template <class T>
struct Released {
  T value;
  Interval interval;
};

}  // namespace tacit

#pragma once

#include <algorithm>
#include <limits>
#include <optional>

#include "tacit/privacy/events_internal.h"

namespace tacit {

// The least value(events) over the deltas at which the curves of a cost may be taken: any choice
// gives a true bound, so a coarse search (start, start/2, start/4, ...) loses tightness, never
// truth. A cost without curves has one list of events. `value` may answer infinity.
template <class Value>
Result<double> least_over_curve_deltas(const Cost& cost, const Rational& start, int halvings,
                                       Value&& value) {
  if (!has_curve(cost)) {
    TACIT_ASSIGN_OR_RETURN(const auto events, approximate_events(cost, 0));
    return value(events);
  }
  std::optional<Error> refusal;
  double least = std::numeric_limits<double>::infinity();
  Rational curve_delta = start;
  for (int i = 0; i < halvings; ++i, curve_delta = curve_delta / Rational(2)) {
    const auto events = approximate_events(cost, curve_delta);
    if (events) {
      least = std::min(least, value(*events));
    } else {
      refusal = events.error();
    }
  }
  if (least == std::numeric_limits<double>::infinity() && refusal) {
    return std::unexpected(*std::move(refusal));
  }
  return least;
}

// Wide enough for a million curves (2^-20) and the best split of delta around it.
inline constexpr int kEpsilonHalvings = 60;
inline constexpr int kDeltaHalvings = 160;

}  // namespace tacit

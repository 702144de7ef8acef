#pragma once

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "tacit/mechanisms/testing/binomial_bounds.h"
#include "tacit/mechanisms/testing/verdict.h"

namespace tacit::testing {

// What a mechanism claims: P(M(D) in E) <= exp(epsilon) P(M(D') in E) + delta for all events E,
// and the same with D and D' exchanged.
struct Claim {
  double epsilon = 0;
  double delta = 0;
};

// Counts of the same cells for two neighbouring datasets, from independent runs.
struct NeighbourCounts {
  CellCounts one;
  CellCounts other;
};

namespace internal {

struct EventCount {
  std::string event;
  std::uint64_t one = 0;
  std::uint64_t other = 0;
};

inline void append_cells_prefixes_suffixes(const NeighbourCounts& counts,
                                           std::vector<EventCount>& events) {
  EventCount prefix;
  const std::uint64_t trials_one = total(counts.one);
  const std::uint64_t trials_other = total(counts.other);
  for (std::size_t i = 0; i < counts.one.size(); ++i) {
    events.push_back({fmt::format("cell {}", i), counts.one[i], counts.other[i]});
    prefix.one += counts.one[i];
    prefix.other += counts.other[i];
    events.push_back({fmt::format("cells up to {}", i), prefix.one, prefix.other});
    events.push_back(
        {fmt::format("cells after {}", i), trials_one - prefix.one, trials_other - prefix.other});
  }
}

// The cells that looked more likely than the claim allows in another, earlier sample. The event is
// fixed before the counts it is tested on are seen.
inline EventCount learned_event(const Claim& claim, const NeighbourCounts& training,
                                const NeighbourCounts& counts) {
  EventCount event{"cells learned from the training half"};
  const double ratio = static_cast<double>(total(training.one)) /
                       static_cast<double>(total(training.other)) * std::exp(claim.epsilon);
  for (std::size_t i = 0; i < counts.one.size(); ++i) {
    if (static_cast<double>(training.one[i]) > ratio * static_cast<double>(training.other[i])) {
      event.one += counts.one[i];
      event.other += counts.other[i];
    }
  }
  return event;
}

inline Verdict audit_one_direction(const Claim& claim, const NeighbourCounts& counts,
                                   const NeighbourCounts* training, double false_alarm) {
  std::vector<EventCount> events;
  append_cells_prefixes_suffixes(counts, events);
  if (training != nullptr) events.push_back(learned_event(claim, *training, counts));
  // Each event needs a bound on two probabilities.
  const double alpha = false_alarm / (2.0 * static_cast<double>(events.size()));
  for (const EventCount& event : events) {
    const double at_least = lower_bound(event.one, total(counts.one), alpha);
    const double at_most = upper_bound(event.other, total(counts.other), alpha);
    if (at_least > std::exp(claim.epsilon) * at_most + claim.delta) {
      return Verdict::reject(fmt::format(
          "{}: probability at least {} on one side, at most {} on the other, which is more than "
          "epsilon {} and delta {} allow",
          event.event, at_least, at_most, claim.epsilon, claim.delta));
    }
  }
  return Verdict::accept();
}

}  // namespace internal

// Rejects where the counts contradict the claim, in either direction. Every cell, prefix and
// suffix is tested, and, given a training sample, the event that looked worst there.
inline Verdict audit_privacy(const Claim& claim, const NeighbourCounts& counts,
                             const NeighbourCounts* training = nullptr,
                             double false_alarm = kFalseAlarm) {
  if (counts.one.size() != counts.other.size()) return Verdict::reject("cells do not match");
  const Verdict forward = internal::audit_one_direction(claim, counts, training, false_alarm / 2);
  if (forward.rejected) return forward;
  const NeighbourCounts reversed{counts.other, counts.one};
  if (training == nullptr) {
    return internal::audit_one_direction(claim, reversed, nullptr, false_alarm / 2);
  }
  const NeighbourCounts reversed_training{training->other, training->one};
  return internal::audit_one_direction(claim, reversed, &reversed_training, false_alarm / 2);
}

}  // namespace tacit::testing

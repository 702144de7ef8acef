#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tacit/privacy/pld_compose_internal.h"

namespace tacit::pld {

// A pair and how often it is composed.
struct Term {
  Pair pair;
  std::uint64_t times = 1;
};

// What is asked of a composition: its epsilon at a delta, or its delta at an epsilon.
struct Question {
  enum class Kind { kEpsilon, kDelta };
  Kind kind = Kind::kEpsilon;
  double at = 0;

  static Question epsilon_at(double delta) { return {Kind::kEpsilon, delta}; }
  static Question delta_at(double epsilon) { return {Kind::kDelta, epsilon}; }
  [[nodiscard]] bool asks_epsilon() const { return kind == Kind::kEpsilon; }
};

struct Effort {
  // 0 is the first choice of a step; each unit more halves it.
  double fineness = 0;
  // Hold every epsilon from here up in the window; where this is not said, those that seem
  // possible.
  std::optional<double> least;
  // What may pass around the circle, as a part of delta.
  double leak = 1e-6;
};

// Chooses, for one question, the tilt, the circle and the lattice on which terms are composed.
// Whatever is chosen, the bounds hold; only how sharp they are depends on it.
class Planner {
 public:
  // `terms` must outlive the planner.
  Planner(std::span<const Term> terms, const Question& question);
  Planner(const Planner&) = delete;
  Planner& operator=(const Planner&) = delete;
  ~Planner();

  [[nodiscard]] Composition compose(const Effort& effort) const;

 private:
  class Sketch;

  std::span<const Term> terms_;
  std::unique_ptr<const Sketch> sketch_;
};

}  // namespace tacit::pld

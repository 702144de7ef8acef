#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tacit/base/error.h"
#include "tacit/base/rational.h"

namespace tacit::train {

// A public function of the step, by which a rate, a bound or a noise is multiplied. Constant over
// groups of steps, so that a run is a composition of few kinds of steps, each accounted as it was.
class Schedule {
 public:
  // From step `first` on, until the next level.
  struct Level {
    std::uint64_t first = 0;
    Rational factor = 1;
    bool operator==(const Level&) const = default;
  };
  static constexpr std::size_t kMostLevels = 256;

  // Always 1.
  Schedule() : levels_{Level{}} {}
  // Refuses levels that do not begin with step 0 and ascend, factors that are not above 0, and more
  // than kMostLevels.
  static Result<Schedule> of_levels(std::vector<Level> levels);
  // From 1 at the first step to `last` at the end of `steps`, on a line, or by equal factors. In
  // `levels` levels at most.
  static Result<Schedule> linear(const Rational& last, std::uint64_t steps,
                                 std::uint64_t levels = 20);
  static Result<Schedule> exponential(const Rational& last, std::uint64_t steps,
                                      std::uint64_t levels = 20);

  [[nodiscard]] const std::vector<Level>& levels() const { return levels_; }
  [[nodiscard]] const Rational& at(std::uint64_t step) const;
  [[nodiscard]] bool is_constant() const { return levels_.size() == 1; }
  // "1", or "1, from step 100 0.5".
  [[nodiscard]] std::string to_text() const;

  bool operator==(const Schedule&) const = default;

 private:
  explicit Schedule(std::vector<Level> levels) : levels_(std::move(levels)) {}

  std::vector<Level> levels_;
};

}  // namespace tacit::train

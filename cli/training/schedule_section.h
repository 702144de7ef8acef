#pragma once

#include <cstdint>
#include <string_view>
#include <variant>

#include "cli/training/section.h"
#include "tacit/base/error.h"
#include "tacit/base/rational.h"
#include "tacit/train/schedule.h"

namespace tacit::training {

// A factor that changes from step to step, as a configuration writes it: from 1 to `last`,
//   noise_schedule = {shape = "linear", last = 0.5}
// in as many levels, or levels one by one:
//   noise_schedule = {steps = [0, 500], factors = [1, 0.5]}
class ScheduleSection {
 public:
  enum class Shape : std::uint8_t { kLinear, kExponential };

  // Always 1.
  ScheduleSection() = default;
  // What stands at a key of the section, or always 1.
  static Result<ScheduleSection> read(const Section& from, std::string_view key);

  // For a run of so many steps.
  [[nodiscard]] Result<train::Schedule> over(std::uint64_t steps) const;

 private:
  struct Line {
    Shape shape = Shape::kLinear;
    Rational last;
    std::uint64_t levels = 20;
  };

  explicit ScheduleSection(std::variant<train::Schedule, Line> schedule)
      : schedule_(std::move(schedule)) {}

  std::variant<train::Schedule, Line> schedule_;
};

}  // namespace tacit::training

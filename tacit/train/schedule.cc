#include "tacit/train/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace tacit::train {
namespace {

// Levels of equal length, with the value that `curve` has between 0 at the first and 1 at the last.
Result<std::vector<Schedule::Level>> cut(std::uint64_t steps, std::uint64_t levels,
                                         const std::function<double(double)>& curve) {
  levels =
      std::clamp<std::uint64_t>(levels, 1, std::min<std::uint64_t>(steps, Schedule::kMostLevels));
  std::vector<Schedule::Level> out;
  for (std::uint64_t i = 0; i < levels; ++i) {
    const double way = levels == 1 ? 0 : static_cast<double>(i) / static_cast<double>(levels - 1);
    // Four digits are enough for a schedule, and short in a ledger.
    TACIT_ASSIGN_OR_RETURN(const Rational factor,
                           Rational::parse(fmt::format("{:.4g}", curve(way))));
    out.push_back({.first = steps / levels * i + std::min(i, steps % levels), .factor = factor});
  }
  return out;
}

Result<void> check_last(const Rational& last, std::uint64_t steps) {
  if (last.sign() <= 0) {
    return bad_input("the last factor of a schedule must be above 0", "schedule",
                     "give a number such as 0.5");
  }
  if (steps == 0) return bad_input("a schedule needs steps", "schedule");
  return {};
}

}  // namespace

Result<Schedule> Schedule::of_levels(std::vector<Level> levels) {
  if (levels.empty() || levels.front().first != 0 || levels.size() > kMostLevels) {
    return bad_input("a schedule has levels, the first from step 0, and not above " +
                         std::to_string(kMostLevels),
                     "schedule");
  }
  for (std::size_t i = 0; i < levels.size(); ++i) {
    if (levels[i].factor.sign() <= 0 || (i > 0 && levels[i].first <= levels[i - 1].first)) {
      return bad_input("levels of a schedule ascend, and their factors are above 0",
                       fmt::format("schedule, level {}", i));
    }
  }
  return Schedule(std::move(levels));
}

Result<Schedule> Schedule::linear(const Rational& last, std::uint64_t steps, std::uint64_t levels) {
  TACIT_RETURN_IF_ERROR(check_last(last, steps));
  const double end = last.approximate();
  TACIT_ASSIGN_OR_RETURN(auto cuts,
                         cut(steps, levels, [&](double way) { return 1 + way * (end - 1); }));
  return of_levels(std::move(cuts));
}

Result<Schedule> Schedule::exponential(const Rational& last, std::uint64_t steps,
                                       std::uint64_t levels) {
  TACIT_RETURN_IF_ERROR(check_last(last, steps));
  const double end = last.approximate();
  TACIT_ASSIGN_OR_RETURN(auto cuts,
                         cut(steps, levels, [&](double way) { return std::pow(end, way); }));
  return of_levels(std::move(cuts));
}

const Rational& Schedule::at(std::uint64_t step) const {
  const auto after = std::ranges::upper_bound(levels_, step, {}, &Level::first);
  return std::prev(after)->factor;
}

std::string Schedule::to_text() const {
  std::string text;
  for (const Level& level : levels_) {
    text += level.first == 0 ? "" : fmt::format(", from step {} ", level.first);
    text += level.factor.to_string();
  }
  return text;
}

}  // namespace tacit::train

#include "cli/training/schedule_section.h"

#include <utility>
#include <vector>

namespace tacit::training {
namespace {

using Shape = ScheduleSection::Shape;

constexpr Words<Shape, 2> kShapes = {
    {{"linear", Shape::kLinear}, {"exponential", Shape::kExponential}}};

constexpr const char* kExamples =
    "for example {shape = \"linear\", last = 0.5}, or {steps = [0, 500], factors = [1, 0.5]}";

Result<train::Schedule> read_levels(const Section& from) {
  TACIT_ASSIGN_OR_RETURN(const auto steps, from.rationals("steps"));
  TACIT_ASSIGN_OR_RETURN(const auto factors, from.rationals("factors"));
  if (!steps || !factors || steps->size() != factors->size()) {
    return from.refuse("needs as many 'steps' as 'factors'", kExamples);
  }
  std::vector<train::Schedule::Level> levels;
  for (std::size_t i = 0; i < steps->size(); ++i) {
    const Rational& step = (*steps)[i];
    if (step.sign() < 0 || step > Rational(std::int64_t{1} << 40) ||
        Rational(step.floor()) != step) {
      return from.refuse("has a step that is no whole number", kExamples);
    }
    levels.push_back({.first = step.floor().get_ui(), .factor = (*factors)[i]});
  }
  auto schedule = train::Schedule::of_levels(std::move(levels));
  if (!schedule) return from.refuse("is refused: " + schedule.error().what, kExamples);
  return schedule;
}

}  // namespace

Result<ScheduleSection> ScheduleSection::read(const Section& from, std::string_view key) {
  TACIT_ASSIGN_OR_RETURN(const auto inner, from.inner(key));
  if (!inner) return ScheduleSection();
  TACIT_RETURN_IF_ERROR(inner->only_keys({"shape", "last", "levels", "steps", "factors"}));
  const bool is_line = inner->has("shape") || inner->has("last") || inner->has("levels");
  const bool is_levels = inner->has("steps") || inner->has("factors");
  if (is_line == is_levels) return inner->refuse("must be said in one way", kExamples);
  if (is_levels) {
    TACIT_ASSIGN_OR_RETURN(auto levels, read_levels(*inner));
    return ScheduleSection(std::move(levels));
  }
  TACIT_ASSIGN_OR_RETURN(const auto shape, inner->choice("shape", kShapes));
  TACIT_ASSIGN_OR_RETURN(const auto last, inner->number_above_zero("last"));
  TACIT_ASSIGN_OR_RETURN(
      const auto levels,
      inner->count("levels", 2, static_cast<std::int64_t>(train::Schedule::kMostLevels)));
  if (!shape || !last) return inner->refuse("needs a 'shape' and the 'last' factor", kExamples);
  return ScheduleSection(Line{
      .shape = *shape, .last = *last, .levels = static_cast<std::uint64_t>(levels.value_or(20))});
}

Result<train::Schedule> ScheduleSection::over(std::uint64_t steps) const {
  if (const auto* const levels = std::get_if<train::Schedule>(&schedule_)) return *levels;
  const Line& line = std::get<Line>(schedule_);
  const auto make =
      line.shape == Shape::kLinear ? train::Schedule::linear : train::Schedule::exponential;
  return make(line.last, steps, line.levels);
}

}  // namespace tacit::training

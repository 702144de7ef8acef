#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "tacit/sql/learned.h"
#include "tacit/sql/learned_facts_internal.h"

namespace tacit::sql {
namespace {

ValueRange number_range(std::uint64_t number) {
  const Rational value(static_cast<std::int64_t>(number));
  return {.lower = value, .upper = value};
}

template <class Learner>
std::string cost_text(const Learner& learner) {
  return learner.mechanism ? learner.mechanism->cost().to_text() : std::string();
}

LearnedFacts count_facts(LearnedFacts::Kind kind, std::string what, const CountLearner& learner,
                         const std::optional<std::uint64_t>& found) {
  LearnedFacts out{.kind = kind,
                   .what = std::move(what),
                   .within = {.lower = Rational(1), .upper = number_range(learner.most).upper},
                   .cost = cost_text(learner)};
  if (found) out.found = number_range(*found);
  return out;
}

// The first bounds of all, and each of them wider while the others stay.
std::vector<LearnedBounds> examples_of(const Learners& learners) {
  LearnedBounds first;
  if (learners.rows) first.rows = 1;
  if (learners.groups) first.groups = 1;
  first.ranges.resize(learners.ranges.size(),
                      ValueRange{.lower = Rational(0), .upper = Rational(1)});
  std::vector<LearnedBounds> out{first};
  for (const std::uint64_t wider : {10U, 100U}) {
    if (learners.rows && wider <= learners.rows->most) {
      out.push_back(first);
      out.back().rows = wider;
    }
    if (learners.groups && wider <= learners.groups->most) {
      out.push_back(first);
      out.back().groups = wider;
    }
    if (!learners.ranges.empty()) {
      out.push_back(first);
      const Rational upper(static_cast<std::int64_t>(wider));
      out.back().ranges.assign(learners.ranges.size(),
                               ValueRange{.lower = Rational(0), .upper = upper});
    }
  }
  return out;
}

std::string words(const LearnedBounds& bounds) {
  const auto counted = [](std::uint64_t count, const char* what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
  };
  std::vector<std::string> parts;
  if (bounds.rows) parts.push_back(counted(*bounds.rows, "row"));
  if (bounds.groups) parts.push_back(counted(*bounds.groups, "group"));
  if (!bounds.ranges.empty()) {
    const ValueRange range = bounds.ranges.front().value_or(ValueRange());
    parts.push_back(fmt::format("values 0 to {}", range.upper.to_string()));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

std::vector<LearnedFacts> learned_facts(const AggregationPlan& plan) {
  std::vector<LearnedFacts> out;
  const Learners& learners = plan.learners;
  const bool settled = plan.learned.any();
  if (learners.rows) {
    out.push_back(count_facts(LearnedFacts::Kind::kRows, "rows of a unit in a group",
                              *learners.rows, plan.learned.rows));
  }
  if (learners.groups) {
    out.push_back(count_facts(LearnedFacts::Kind::kGroups, "groups of a unit", *learners.groups,
                              plan.learned.groups));
  }
  const LearnedBounds most = widest(learners);
  for (std::size_t i = 0; i < learners.ranges.size(); ++i) {
    LearnedFacts range{.kind = LearnedFacts::Kind::kRange,
                       .what = "range of " + learners.ranges[i].text,
                       .within = most.ranges[i].value_or(ValueRange()),
                       .cost = cost_text(learners.ranges[i])};
    if (settled) range.found = plan.learned.ranges[i];
    out.push_back(std::move(range));
  }
  for (LearnedFacts& each : out) each.settled = settled;
  return out;
}

Result<std::vector<ExampleFacts>> example_facts(const Aggregation& aggregation,
                                                const AggregationPlan& plan, Neighbours neighbours,
                                                double confidence) {
  std::vector<ExampleFacts> out;
  if (!plan.learns() || plan.learned.any()) return out;
  for (const LearnedBounds& bounds : examples_of(plan.learners)) {
    TACIT_ASSIGN_OR_RETURN(const AggregationPlan settled,
                           settle(aggregation, plan, bounds, neighbours, confidence));
    ExampleFacts example{.bounds = words(bounds)};
    for (const AnswerPlan& answer : settled.answers) {
      auto& half_width = example.half_widths.emplace_back();
      const auto made_of = measures_of(answer);
      if (made_of.size() != 1) continue;
      const Measure& measure = settled.measures[made_of.front()];
      if (!measure.noise) return not_priced();
      TACIT_ASSIGN_OR_RETURN(const std::int64_t steps, measure.noise->half_width(confidence));
      half_width = measure.grid.to_real_above(steps) * measure.step.approximate();
    }
    out.push_back(std::move(example));
  }
  return out;
}

}  // namespace tacit::sql

#include "tacit/sql/plan_ranges_internal.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "tacit/sql/learned.h"

namespace tacit::sql {
namespace {

// What a unit adds to a group stays below 2^62 steps.
constexpr int kMostBits = 61;
// Reals are told apart from about 10^-7 to 10^12.
constexpr int kRealExponent = -22;
constexpr int kRealDigits = 62;

bool squares(AggregateKind kind) {
  return kind == AggregateKind::kVariance || kind == AggregateKind::kSampleVariance ||
         kind == AggregateKind::kDeviation || kind == AggregateKind::kSampleDeviation;
}

// Binary digits of the largest magnitude whose sums (of squares) over the rows of a unit fit.
int digits_for(const Aggregate& aggregate, const AggregationPlan& plan) {
  if (aggregate.argument->type().kind == TypeKind::kReal) return kRealDigits;
  const std::uint64_t rows = plan.learners.rows ? plan.learners.rows->most : plan.rows;
  const int left = kMostBits - static_cast<int>(std::bit_width(std::max<std::uint64_t>(rows, 1)));
  return std::max(squares(aggregate.kind) ? left / 2 : left, 1);
}

std::size_t learner_of(const Aggregate& aggregate, AggregationPlan& plan) {
  std::vector<RangeLearner>& ranges = plan.learners.ranges;
  const auto found = std::ranges::find_if(ranges, [&](const RangeLearner& other) {
    return same(other.argument, aggregate.argument) && same(other.filter, aggregate.filter);
  });
  const auto index = static_cast<std::size_t>(found - ranges.begin());
  const int digits = digits_for(aggregate, plan);
  if (found != ranges.end()) {
    if (!found->mechanism) found->digits = std::min(found->digits, digits);
    return index;
  }
  const Type& type = aggregate.argument->type();
  ranges.push_back({.argument = aggregate.argument,
                    .filter = aggregate.filter,
                    .text = aggregate.text,
                    .step = type.kind == TypeKind::kReal ? Rational::power_of_two(kRealExponent)
                                                         : last_place(type),
                    .digits = digits,
                    .mechanism = std::nullopt});
  return index;
}

// What is learnt, within the end that is declared; never empty.
ValueRange within_declared(ValueRange range, const Facts& facts, const Rational& step) {
  if (facts.lower) {
    range.lower = std::max(range.lower, *facts.lower);
    range.upper = std::max(range.upper, *facts.lower);
  }
  if (facts.upper) {
    range.lower = std::min(range.lower, *facts.upper);
    range.upper = std::min(range.upper, *facts.upper);
  }
  if (range.lower < range.upper) return range;
  if (facts.upper) {
    range.lower = range.lower - step;
  } else {
    range.upper = range.upper + step;
  }
  return range;
}

}  // namespace

Rational last_place(const Type& type) {
  Rational step(1);
  for (int i = 0; i < type.scale; ++i) step = step / Rational(10);
  return step;
}

bool lacks_range(const Aggregate& aggregate) {
  switch (aggregate.kind) {
    case AggregateKind::kCount:
    case AggregateKind::kCountDistinct:
    case AggregateKind::kCountUnits:
      return false;
    default:
      return !aggregate.argument->facts().lower || !aggregate.argument->facts().upper;
  }
}

Aggregate with_learned_range(Aggregate aggregate, AggregationPlan& plan, AnswerPlan& answer) {
  const std::size_t index = learner_of(aggregate, plan);
  answer.range = index;
  const ValueRange stand_in{.lower = Rational(0), .upper = Rational(1)};
  const auto& learned = plan.learned.ranges;
  const ValueRange range =
      within_declared(index < learned.size() ? learned[index].value_or(stand_in) : stand_in,
                      aggregate.argument->facts(), plan.learners.ranges[index].step);
  Facts facts = aggregate.argument->facts();
  facts.lower = range.lower;
  facts.upper = range.upper;
  aggregate.argument = std::make_shared<const Expression>(aggregate.argument->type(), facts,
                                                          aggregate.argument->node());
  return aggregate;
}

std::unexpected<Error> not_priced() {
  return bad_input("this plan has no prices", "plan", "make it with plan()");
}

std::vector<std::uint64_t> candidates(std::uint64_t most) {
  std::vector<std::uint64_t> out;
  for (std::uint64_t power = 1; power < most; power *= 2) {
    out.push_back(power);
    if (power > 1 && power / 2 * 3 < most) out.push_back(power / 2 * 3);
  }
  out.push_back(most);
  return out;
}

LearnedBounds widest(const Learners& learners) {
  LearnedBounds out;
  if (learners.rows) out.rows = learners.rows->most;
  if (learners.groups) out.groups = learners.groups->most;
  for (const RangeLearner& range : learners.ranges) {
    const Rational end = Rational::power_of_two(range.digits) * range.step;
    out.ranges.push_back(ValueRange{.lower = -end, .upper = end});
  }
  return out;
}

}  // namespace tacit::sql

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "tacit/sql/plan_measures_internal.h"
#include "tacit/sql/plan_ranges_internal.h"

namespace tacit::sql {
namespace {

// What a unit adds to a group stays below this many steps, so that no sum of units overflows.
constexpr std::int64_t kMostSteps = std::int64_t{1} << 62;
// Reals are rounded to steps of which the largest value has about this many.
constexpr int kRealBits = 40;
// To be squared, to coarser ones, so that the squares of many rows still fit.
constexpr int kRealSquareBits = 22;
constexpr int kQuantileBits = 20;
constexpr std::size_t kMostGroups = 1'000'000;
// As far as learners look. So many rows of a unit still sum exactly, squares of reals too.
constexpr std::uint64_t kMostLearnedRows = std::uint64_t{1} << 17U;
constexpr std::uint64_t kMostLearnedGroups = std::uint64_t{1} << 12U;

// Every row is a unit of its own: nothing but conditions and expressions stands above the table.
bool row_is_unit(const Relation& relation) {
  if (const auto* scan = std::get_if<Scan>(&relation.node())) return scan->numbered;
  if (const auto* project = std::get_if<Project>(&relation.node())) {
    return row_is_unit(*project->input);
  }
  if (const auto* product = std::get_if<Product>(&relation.node())) {
    return product->inputs.size() == 1 && row_is_unit(*product->inputs.front());
  }
  if (const auto* semi = std::get_if<SemiJoin>(&relation.node())) return row_is_unit(*semi->left);
  return false;
}

// One row a unit: grouped by the unit alone.
bool row_a_unit(const Relation& relation) {
  if (const auto* group = std::get_if<UnitGroup>(&relation.node())) {
    // Two columns of the unit may be one key, where a condition holds them equal.
    const std::set<std::size_t> named(relation.unit().begin(), relation.unit().end());
    return group->keys.size() == named.size();
  }
  if (const auto* project = std::get_if<Project>(&relation.node())) {
    return row_a_unit(*project->input);
  }
  if (const auto* product = std::get_if<Product>(&relation.node())) {
    return product->inputs.size() == 1 && row_a_unit(*product->inputs.front());
  }
  return false;
}

// Integers and days of which there are few, from the least to the greatest.
std::optional<KeyDomain> domain_of_range(const Type& type, const Facts& facts) {
  const bool whole = type.kind == TypeKind::kInteger || type.kind == TypeKind::kDate;
  if (!whole || !facts.lower || !facts.upper) return std::nullopt;
  const mpz_class first = facts.lower->ceil();
  const mpz_class last = facts.upper->floor();
  if (last - first > 4096 || !first.fits_slong_p() || !last.fits_slong_p()) return std::nullopt;
  KeyDomain out;
  for (long value = first.get_si(); value <= last.get_si(); ++value) {
    out.values.emplace_back(int128{value});
  }
  return out;
}

std::optional<KeyDomain> domain_of(const GroupKey& key) {
  const Facts& facts = key.expression->facts();
  if (facts.public_column) return KeyDomain{.column = facts.public_column};
  std::optional<KeyDomain> out;
  if (facts.values) {
    // A key that is listed twice would show the same people twice.
    const std::set<Cell> different(facts.values->begin(), facts.values->end());
    out = KeyDomain{.values = {different.begin(), different.end()}};
  } else {
    out = domain_of_range(key.expression->type(), facts);
  }
  if (out && facts.nulls) out->values.emplace_back();
  return out;
}

Result<void> plan_keys(const Aggregation& aggregation, AggregationPlan& out) {
  std::size_t groups = 1;
  for (const GroupKey& key : aggregation.keys) {
    auto domain = domain_of(key);
    if (!domain) {
      out.public_keys = false;
      out.domains.clear();
      return {};
    }
    if (!domain->column) {
      groups *= std::max<std::size_t>(domain->values.size(), 1);
      if (groups > kMostGroups) {
        return bad_input("the declared keys make more than a million groups", "GROUP BY",
                         "group by fewer or coarser keys");
      }
    }
    out.domains.push_back(*std::move(domain));
  }
  return {};
}

// As many groups as the keys can make, where that is known and small.
std::optional<std::uint64_t> public_groups(const AggregationPlan& plan) {
  if (!plan.public_keys) return std::nullopt;
  std::uint64_t groups = 1;
  for (const KeyDomain& domain : plan.domains) {
    if (domain.column) return std::nullopt;
    groups *= domain.values.size();
  }
  return groups;
}

bool needs_rows(const Aggregation& aggregation) {
  return std::ranges::any_of(aggregation.aggregates, [](const Aggregate& aggregate) {
    return aggregate.kind != AggregateKind::kCountUnits;
  });
}

void plan_rows(const Aggregation& aggregation, std::optional<std::uint64_t> wanted, bool learn,
               AggregationPlan& out) {
  out.rows = out.row_is_unit ? 1 : wanted.value_or(0);
  if (!learn || out.rows == 1 || !needs_rows(aggregation)) return;
  out.learners.rows = {.most = std::min(wanted.value_or(kMostLearnedRows), kMostLearnedRows),
                       .mechanism = std::nullopt};
  out.rows = 1;
}

// Between one group and as many as are wanted, or as there are.
void learn_groups(std::optional<std::uint64_t> wanted, std::optional<std::uint64_t> possible,
                  AggregationPlan& out) {
  const std::uint64_t most = std::min({wanted.value_or(kMostLearnedGroups),
                                       possible.value_or(kMostLearnedGroups), kMostLearnedGroups});
  out.groups = 1;
  if (most <= 1) return;
  out.learners.groups = {.most = most, .mechanism = std::nullopt};
  out.cut_groups = true;
}

Result<void> plan_groups(const Aggregation& aggregation, std::optional<std::uint64_t> wanted,
                         bool learn, AggregationPlan& out) {
  const auto possible = public_groups(out);
  if (aggregation.keys.empty() || out.row_is_unit) {
    out.groups = 1;
  } else if (learn && wanted != 1) {
    learn_groups(wanted, possible, out);
  } else if (possible && (!wanted || *possible <= *wanted)) {
    if (!wanted && *possible > 64) {
      return bad_input("nothing says how many groups a person may touch", "GROUP BY",
                       "give --max-groups, or max_groups in tacit.toml, or --learn groups");
    }
    out.groups = *possible;
  } else if (wanted) {
    out.groups = *wanted;
    out.cut_groups = true;
  } else {
    return bad_input("nothing says how many groups a person may touch", "GROUP BY",
                     "give --max-groups, or max_groups in tacit.toml, or --learn groups");
  }
  if (out.groups == 0 || out.groups > kMostGroups) {
    return bad_input("a person may touch between 1 and a million groups", "--max-groups",
                     "give a small number such as 4");
  }
  return {};
}

Result<void> plan_bounds(const Aggregation& aggregation, const Schema& schema,
                         const PlanOptions& options, AggregationPlan& out) {
  out.row_is_unit = one_row_a_unit(*aggregation.input);
  const auto rows =
      options.bounds.rows_per_group ? options.bounds.rows_per_group : schema.bounds.rows_per_group;
  plan_rows(aggregation, rows, options.learn.rows, out);
  return plan_groups(aggregation,
                     options.bounds.groups ? options.bounds.groups : schema.bounds.groups,
                     options.learn.groups, out);
}

bool same_measure(const Measure& a, const Measure& b) {
  return a.kind == b.kind && same(a.argument, b.argument) && same(a.filter, b.filter);
}

// Measures are shared: the same number is never noised twice.
std::size_t add(AggregationPlan& plan, Measure measure) {
  const auto found = std::ranges::find_if(
      plan.measures, [&](const Measure& other) { return same_measure(other, measure); });
  const auto index = static_cast<std::size_t>(found - plan.measures.begin());
  if (found == plan.measures.end()) plan.measures.push_back(std::move(measure));
  ++plan.measures[index].uses;
  return index;
}

std::int64_t to_word(const mpz_class& value) {
  return value.fits_slong_p() ? value.get_si() : (sgn(value) < 0 ? -kMostSteps : kMostSteps);
}

Result<std::uint64_t> rows_bound(const AggregationPlan& plan, const Aggregate& aggregate) {
  if (plan.rows > 0) return plan.rows;
  return bad_input("nothing says how many rows of a person may count in one group", aggregate.place,
                   "give --max-rows, or max_rows in tacit.toml, or --learn rows; or aggregate per "
                   "person first (GROUP BY the unit in a subquery)");
}

// The step in which an argument is summed: its last decimal place, or a power of two.
Rational step_of(const Expression& argument, const Rational& largest, int bits) {
  if (argument.type().kind == TypeKind::kReal) {
    const auto grid = Grid::with_at_most(largest.sign() > 0 ? largest : Rational(1), bits);
    return grid ? grid->step() : Rational(1);
  }
  return last_place(argument.type());
}

struct Bounds {
  Rational lower;
  Rational upper;
  Rational step;
};

Result<Bounds> argument_bounds(const Aggregate& aggregate, int real_bits = kRealBits) {
  const Facts& facts = aggregate.argument->facts();
  if (!facts.lower || !facts.upper) {
    return bad_input("nothing bounds the values of this sum", aggregate.place,
                     "declare min and max of its columns in tacit.toml, write "
                     "LEAST(GREATEST(x, 0), 100), or give --learn ranges");
  }
  if (*facts.lower > *facts.upper) {
    return bad_input("the lower bound of these values lies above the upper one", aggregate.place,
                     "mend min and max in tacit.toml");
  }
  const Rational largest = std::max(-*facts.lower, *facts.upper);
  return Bounds{*facts.lower, *facts.upper, step_of(*aggregate.argument, largest, real_bits)};
}

Result<void> check_steps(const Measure& measure, const Aggregate& aggregate) {
  if (measure.lower > -kMostSteps && measure.upper < kMostSteps) return {};
  return bad_input("the values of this sum may be too large to add exactly", aggregate.place,
                   "narrow the declared range, or CAST to fewer decimal places");
}

Result<Measure> count_measure(const AggregationPlan& plan, const Aggregate& aggregate) {
  Measure out{
      .kind = Measure::Kind::kCount, .argument = aggregate.argument, .filter = aggregate.filter};
  TACIT_ASSIGN_OR_RETURN(const std::uint64_t rows, rows_bound(plan, aggregate));
  out.upper = static_cast<std::int64_t>(std::min<std::uint64_t>(rows, kMostSteps));
  TACIT_RETURN_IF_ERROR(check_steps(out, aggregate));
  return out;
}

Result<Measure> sum_measure(const AggregationPlan& plan, const Aggregate& aggregate) {
  TACIT_ASSIGN_OR_RETURN(const Bounds bounds, argument_bounds(aggregate));
  TACIT_ASSIGN_OR_RETURN(const std::uint64_t rows, rows_bound(plan, aggregate));
  const Rational count(static_cast<std::int64_t>(std::min<std::uint64_t>(rows, kMostSteps)));
  Measure out{.kind = Measure::Kind::kSum,
              .argument = aggregate.argument,
              .filter = aggregate.filter,
              .step = bounds.step};
  out.argument_step = bounds.step;
  out.lower = to_word((std::min(bounds.lower, Rational(0)) * count / bounds.step).floor());
  out.upper = to_word((std::max(bounds.upper, Rational(0)) * count / bounds.step).ceil());
  TACIT_RETURN_IF_ERROR(check_steps(out, aggregate));
  return out;
}

Result<Measure> offsets_measure(const AggregationPlan& plan, const Aggregate& aggregate,
                                bool squared) {
  TACIT_ASSIGN_OR_RETURN(const Bounds coarse, argument_bounds(aggregate, kRealSquareBits));
  TACIT_ASSIGN_OR_RETURN(const Bounds bounds,
                         argument_bounds(aggregate, squared ? kRealSquareBits : kRealBits));
  TACIT_ASSIGN_OR_RETURN(const std::uint64_t rows, rows_bound(plan, aggregate));
  const Rational count(static_cast<std::int64_t>(std::min<std::uint64_t>(rows, kMostSteps)));
  Measure out{.kind = squared ? Measure::Kind::kSquaredOffsets : Measure::Kind::kOffsets,
              .argument = aggregate.argument,
              .filter = aggregate.filter,
              .step = bounds.step};
  out.argument_step = bounds.step;
  // Offsets and their squares have one centre, whatever their steps.
  const Rational middle = (bounds.lower + bounds.upper) / Rational(2) / coarse.step;
  out.centre = to_word((Rational(mpq_class(middle.floor())) * coarse.step / bounds.step).floor());
  const Rational centre(out.centre);
  const Rational reach =
      std::max(bounds.upper / bounds.step - centre, centre - bounds.lower / bounds.step);
  if (squared) {
    out.step = bounds.step * bounds.step;
    out.upper = to_word((reach * reach * count).ceil());
  } else {
    out.upper = to_word((reach * count).ceil());
    out.lower = -out.upper;
  }
  TACIT_RETURN_IF_ERROR(check_steps(out, aggregate));
  return out;
}

// The grid on which quantiles are sought: whole numbers, or some 2^20 points of the range.
Result<Clamp> quantile_grid(const Bounds& bounds, const Type& type) {
  Grid grid;
  const Rational width = bounds.upper - bounds.lower;
  const Rational largest = std::max(-bounds.lower, bounds.upper);
  if (type.kind != TypeKind::kInteger && width.sign() > 0) {
    TACIT_ASSIGN_OR_RETURN(grid, Grid::with_at_most(width, kQuantileBits));
  }
  if (largest.sign() > 0) {
    TACIT_ASSIGN_OR_RETURN(const Grid holds, Grid::with_at_most(largest, kRealBits + 10));
    grid = std::max(grid, holds);
  }
  return Clamp::create(bounds.lower, bounds.upper, grid);
}

Result<void> add_quantile(AggregationPlan& plan, const Aggregate& aggregate, const Rational& share,
                          AnswerPlan& out) {
  TACIT_RETURN_IF_ERROR(rows_bound(plan, aggregate));
  auto found = std::ranges::find_if(plan.quantiles, [&](const QuantileMeasure& other) {
    return same(other.argument, aggregate.argument) && same(other.filter, aggregate.filter);
  });
  if (found == plan.quantiles.end()) {
    TACIT_ASSIGN_OR_RETURN(const Bounds bounds, argument_bounds(aggregate));
    TACIT_ASSIGN_OR_RETURN(const Clamp clamp, quantile_grid(bounds, aggregate.argument->type()));
    plan.quantiles.push_back({.argument = aggregate.argument,
                              .filter = aggregate.filter,
                              .shares = {},
                              .clamp = clamp,
                              .uses = 0,
                              .epsilon = {},
                              .mechanism = std::nullopt});
    found = plan.quantiles.end() - 1;
  }
  const auto place = std::ranges::find(found->shares, share);
  out.quantile = static_cast<std::size_t>(found - plan.quantiles.begin());
  out.share = static_cast<std::size_t>(place - found->shares.begin());
  if (place == found->shares.end()) found->shares.push_back(share);
  ++found->uses;
  return {};
}

Result<AnswerPlan> plan_answer(const Aggregate& asked, bool learn_ranges, AggregationPlan& plan) {
  AnswerPlan out{.kind = asked.kind};
  const Aggregate aggregate =
      learn_ranges && lacks_range(asked) ? with_learned_range(asked, plan, out) : asked;
  switch (aggregate.kind) {
    case AggregateKind::kCountUnits: {
      Measure units{.kind = Measure::Kind::kUnits, .filter = aggregate.filter, .upper = 1};
      out.count = add(plan, std::move(units));
      return out;
    }
    case AggregateKind::kCount: {
      TACIT_ASSIGN_OR_RETURN(auto count, count_measure(plan, aggregate));
      out.count = add(plan, std::move(count));
      return out;
    }
    case AggregateKind::kCountDistinct: {
      TACIT_ASSIGN_OR_RETURN(auto count, count_measure(plan, aggregate));
      count.kind = Measure::Kind::kDistinct;
      out.count = add(plan, std::move(count));
      return out;
    }
    case AggregateKind::kSum: {
      TACIT_ASSIGN_OR_RETURN(auto sum, sum_measure(plan, aggregate));
      out.sum = add(plan, std::move(sum));
      return out;
    }
    case AggregateKind::kQuantile: {
      if (!aggregate.share) {
        return bad_input("this quantile does not say which", aggregate.place,
                         "give the share of values below it, such as 0.5");
      }
      TACIT_RETURN_IF_ERROR(add_quantile(plan, aggregate, *aggregate.share, out));
      return out;
    }
    default:
      break;
  }
  TACIT_ASSIGN_OR_RETURN(auto count, count_measure(plan, aggregate));
  TACIT_ASSIGN_OR_RETURN(auto offsets, offsets_measure(plan, aggregate, false));
  TACIT_ASSIGN_OR_RETURN(const Bounds bounds, argument_bounds(aggregate));
  out.lower = bounds.lower;
  out.upper = bounds.upper;
  out.count = add(plan, std::move(count));
  out.sum = add(plan, std::move(offsets));
  if (aggregate.kind != AggregateKind::kAverage) {
    TACIT_ASSIGN_OR_RETURN(auto squares, offsets_measure(plan, aggregate, true));
    out.squares = add(plan, std::move(squares));
  }
  return out;
}

}  // namespace

bool one_row_a_unit(const Relation& relation) {
  return row_is_unit(relation) || row_a_unit(relation);
}

Result<AggregationPlan> plan_measures(const Aggregation& aggregation, const Schema& schema,
                                      const PlanOptions& options) {
  AggregationPlan out;
  TACIT_RETURN_IF_ERROR(plan_keys(aggregation, out));
  TACIT_RETURN_IF_ERROR(plan_bounds(aggregation, schema, options, out));
  TACIT_RETURN_IF_ERROR(plan_answers(aggregation, options.learn.ranges, out));
  return out;
}

Result<void> plan_answers(const Aggregation& aggregation, bool learn_ranges,
                          AggregationPlan& plan) {
  for (const Aggregate& aggregate : aggregation.aggregates) {
    TACIT_ASSIGN_OR_RETURN(auto answer, plan_answer(aggregate, learn_ranges, plan));
    plan.answers.push_back(std::move(answer));
  }
  return {};
}

}  // namespace tacit::sql

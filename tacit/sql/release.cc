#include "tacit/sql/release.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "tacit/sql/aggregate_sql.h"
#include "tacit/sql/estimate_internal.h"
#include "tacit/sql/groups_internal.h"

namespace tacit::sql {
namespace {

// What the engine said, by group: before noise. Never leaves this file.
struct ExactGroup {
  std::uint64_t units = 0;
  std::vector<int128> totals;
  std::vector<std::vector<GridCount>> counts;  // one list for each quantile measure
};
using ExactGroups = std::map<GroupKeyValues, ExactGroup, KeyOrder>;

// The decimal places in which a measure's totals come from the engine.
int scale_of(const Measure& measure) {
  const bool exact = measure.argument && measure.argument->type().is_exact_number();
  const bool own = measure.kind == Measure::Kind::kSum || measure.kind == Measure::Kind::kOffsets;
  return exact && own ? measure.argument->type().scale : 0;
}

Result<void> read(const MeasureStatement& statement, const Table& answer,
                  const AggregationPlan& plan, std::size_t keys, ExactGroups& groups) {
  const std::size_t wanted = keys + (statement.units ? 1 : 0) + statement.measures.size();
  if (answer.columns.size() != wanted) {
    return world_failed("the engine answered with other columns than asked for", "engine");
  }
  for (std::size_t row = 0; row < answer.rows(); ++row) {
    GroupKeyValues key;
    for (std::size_t k = 0; k < keys; ++k) key.push_back(answer.columns[k][row]);
    ExactGroup& group = groups[std::move(key)];
    group.totals.resize(plan.measures.size());
    std::size_t column = keys;
    if (statement.units) {
      TACIT_ASSIGN_OR_RETURN(const int128 units, exact_number(answer.columns[column][row],
                                                              answer.fields[column].type, 0));
      group.units = static_cast<std::uint64_t>(units);
      ++column;
    }
    for (const std::size_t measure : statement.measures) {
      TACIT_ASSIGN_OR_RETURN(group.totals[measure],
                             exact_number(answer.columns[column][row], answer.fields[column].type,
                                          scale_of(plan.measures[measure])));
      ++column;
    }
  }
  return {};
}

Result<void> read_quantile(std::size_t quantile, const Table& answer, const AggregationPlan& plan,
                           std::size_t keys, ExactGroups& groups) {
  if (answer.columns.size() != keys + 2) {
    return world_failed("the engine answered with other columns than asked for", "engine");
  }
  for (std::size_t row = 0; row < answer.rows(); ++row) {
    GroupKeyValues key;
    for (std::size_t k = 0; k < keys; ++k) key.push_back(answer.columns[k][row]);
    ExactGroup& group = groups[std::move(key)];
    group.totals.resize(plan.measures.size());
    group.counts.resize(plan.quantiles.size());
    TACIT_ASSIGN_OR_RETURN(const int128 point,
                           exact_number(answer.columns[keys][row], answer.fields[keys].type, 0));
    TACIT_ASSIGN_OR_RETURN(const int128 count, exact_number(answer.columns[keys + 1][row],
                                                            answer.fields[keys + 1].type, 0));
    group.counts[quantile].push_back({saturate(point), static_cast<std::uint64_t>(count)});
  }
  return {};
}

// 128 random bits, in hexadecimal.
std::string fresh_secret(SecureStream& stream) {
  return fmt::format("{:016x}{:016x}", stream.next(), stream.next());
}

Result<ExactGroups> aggregate(const Aggregation& aggregation, const AggregationPlan& plan,
                              Engine& engine, SecureStream& stream) {
  ExactGroups groups;
  for (const MeasureStatement& statement :
       measure_statements(aggregation, plan, engine.dialect(), fresh_secret(stream))) {
    TACIT_ASSIGN_OR_RETURN(const Table answer, engine.query(statement.sql));
    const std::size_t keys = aggregation.keys.size();
    TACIT_RETURN_IF_ERROR(statement.quantile
                              ? read_quantile(*statement.quantile, answer, plan, keys, groups)
                              : read(statement, answer, plan, keys, groups));
  }
  return groups;
}

// The groups that are shown: all public ones, or those that the selection keeps.
Result<std::vector<GroupKeyValues>> shown_groups(const AggregationPlan& plan,
                                                 const ExactGroups& exact, Engine& engine,
                                                 Permit& permit, SecureStream& stream) {
  if (plan.public_keys) return public_groups(plan, engine);
  std::vector<std::uint64_t> units;
  std::vector<const GroupKeyValues*> keys;
  for (const auto& [key, group] : exact) {
    units.push_back(group.units);
    keys.push_back(&key);
  }
  TACIT_ASSIGN_OR_RETURN(Permit part, permit.take(plan.selection->cost()));
  TACIT_ASSIGN_OR_RETURN(const auto kept, plan.selection->select(units, std::move(part), stream));
  std::vector<GroupKeyValues> shown;
  for (const std::size_t index : kept.value) shown.push_back(*keys[index]);
  return shown;
}

// Engine steps to noise steps: nearest on a coarser grid, exact on a finer one.
int128 to_grid(int128 steps, const Grid& grid) {
  if (grid.exponent() <= 0) return steps << -grid.exponent();
  const int128 half = int128{1} << (grid.exponent() - 1);
  return (steps + half) >> grid.exponent();
}

// A measure's noisy values, one for each group shown, with its half-width.
struct NoisyMeasure {
  std::vector<double> values;
  std::vector<int128> whole;  // rounded to whole engine steps
  double half_width = 0;
};

Result<NoisyMeasure> noisy(const Measure& measure, const std::vector<int128>& totals,
                           double confidence, Permit& permit, SecureStream& stream) {
  std::vector<int128> steps;
  steps.reserve(totals.size());
  for (const int128 total : totals) steps.push_back(to_grid(total, measure.grid));
  TACIT_ASSIGN_OR_RETURN(Permit part, permit.take(measure.noise->cost()));
  TACIT_ASSIGN_OR_RETURN(const auto released,
                         measure.noise->release(steps, std::move(part), stream));
  TACIT_ASSIGN_OR_RETURN(const std::int64_t half_width, measure.noise->half_width(confidence));
  NoisyMeasure out;
  const double step = measure.step.approximate();
  for (const int128 value : released.value) {
    out.values.push_back(measure.grid.to_real(value) * step);
    out.whole.push_back(measure.grid.to_whole(value));
  }
  out.half_width = measure.grid.to_real_above(half_width) * step;
  return out;
}

// One list of answers for each quantile measure, group and share.
using NoisyQuantiles = std::vector<std::vector<std::vector<Released<double>>>>;

Result<NoisyQuantiles> noisy_quantiles(const AggregationPlan& plan, const ExactGroups& exact,
                                       const std::vector<GroupKeyValues>& shown, Permit& permit,
                                       SecureStream& stream) {
  NoisyQuantiles out;
  for (std::size_t j = 0; j < plan.quantiles.size(); ++j) {
    std::vector<std::vector<GridCount>> counts(shown.size());
    for (std::size_t row = 0; row < shown.size(); ++row) {
      const auto found = exact.find(shown[row]);
      if (found != exact.end() && !found->second.counts.empty()) {
        counts[row] = found->second.counts[j];
      }
    }
    const GroupQuantiles& mechanism = *plan.quantiles[j].mechanism;
    TACIT_ASSIGN_OR_RETURN(Permit part, permit.take(mechanism.cost()));
    TACIT_ASSIGN_OR_RETURN(auto answers, mechanism.release_counts(counts, std::move(part), stream));
    out.push_back(std::move(answers));
  }
  return out;
}

bool is_whole(const AnswerPlan& answer, const AggregationPlan& plan) {
  switch (answer.kind) {
    case AggregateKind::kCount:
    case AggregateKind::kCountDistinct:
    case AggregateKind::kCountUnits:
      return true;
    case AggregateKind::kSum:
      return plan.measures[answer.sum].argument->type().kind == TypeKind::kInteger;
    default:
      return false;
  }
}

// A result column and its half-widths, appended to the released table.
void append(Table& table, std::size_t index, Type type, std::vector<Cell> values,
            std::vector<Cell> half_widths) {
  table.fields.push_back({fmt::format("value_{}", index), type});
  table.columns.push_back(std::move(values));
  table.fields.push_back({fmt::format("half_width_{}", index), kRealType});
  table.columns.push_back(std::move(half_widths));
}

Noisy derived(const AnswerPlan& answer, const AggregationPlan& plan,
              const std::vector<NoisyMeasure>& measures, std::size_t row) {
  const auto at = [&](std::size_t measure) {
    return Noisy{measures[measure].values[row], measures[measure].half_width};
  };
  const Measure& offsets = plan.measures[answer.sum];
  const double lower = answer.lower->approximate();
  const double upper = answer.upper->approximate();
  const double centre = (Rational(offsets.centre) * offsets.argument_step).approximate();
  if (answer.kind == AggregateKind::kAverage) {
    return mean_of(at(answer.sum), at(answer.count), centre, lower, upper);
  }
  const bool sample = answer.kind == AggregateKind::kSampleVariance ||
                      answer.kind == AggregateKind::kSampleDeviation;
  const Noisy variance = variance_of(at(answer.squares), at(answer.sum), at(answer.count),
                                     upper - lower, sample ? 1 : 0);
  const bool root =
      answer.kind == AggregateKind::kDeviation || answer.kind == AggregateKind::kSampleDeviation;
  return root ? deviation_of(variance) : variance;
}

void append_answer(Table& table, std::size_t index, const AnswerPlan& answer,
                   const AggregationPlan& plan, const std::vector<NoisyMeasure>& measures,
                   const std::vector<NoisyMeasure>& joint, std::size_t rows) {
  std::vector<Cell> values;
  std::vector<Cell> half_widths;
  const bool direct = answer.kind == AggregateKind::kSum || answer.kind == AggregateKind::kCount ||
                      answer.kind == AggregateKind::kCountDistinct ||
                      answer.kind == AggregateKind::kCountUnits;
  const bool whole = is_whole(answer, plan);
  const std::size_t source = answer.kind == AggregateKind::kSum ? answer.sum : answer.count;
  for (std::size_t row = 0; row < rows; ++row) {
    if (direct) {
      values.push_back(whole ? Cell(measures[source].whole[row])
                             : Cell(measures[source].values[row]));
      half_widths.emplace_back(measures[source].half_width);
    } else {
      const Noisy estimate = derived(answer, plan, joint, row);
      values.emplace_back(estimate.value);
      half_widths.emplace_back(estimate.half_width);
    }
  }
  append(table, index, whole ? kIntegerType : kRealType, std::move(values), std::move(half_widths));
}

void append_quantile(Table& table, std::size_t index, const AnswerPlan& answer,
                     const std::vector<std::vector<Released<double>>>& groups) {
  std::vector<Cell> values;
  std::vector<Cell> half_widths;
  for (const auto& group : groups) {
    values.emplace_back(group[answer.share].value);
    half_widths.emplace_back(group[answer.share].interval.half_width);
  }
  append(table, index, kRealType, std::move(values), std::move(half_widths));
}

// The confidence each of several noisy numbers needs so that all hold together.
double for_each_of(std::size_t parts, double confidence) {
  return 1 - (1 - confidence) / static_cast<double>(parts);
}

Result<Table> release_one(const Aggregation& aggregation, const AggregationPlan& plan,
                          double confidence, Engine& engine, Permit& permit, SecureStream& stream) {
  TACIT_ASSIGN_OR_RETURN(const ExactGroups exact, aggregate(aggregation, plan, engine, stream));
  TACIT_ASSIGN_OR_RETURN(const auto shown, shown_groups(plan, exact, engine, permit, stream));
  std::vector<NoisyMeasure> measures;
  std::vector<NoisyMeasure> joint;
  for (std::size_t j = 0; j < plan.measures.size(); ++j) {
    std::vector<int128> totals;
    for (const GroupKeyValues& key : shown) {
      const auto found = exact.find(key);
      totals.push_back(found == exact.end() ? int128{0} : found->second.totals[j]);
    }
    TACIT_ASSIGN_OR_RETURN(auto one, noisy(plan.measures[j], totals, confidence, permit, stream));
    // Averages and variances stand on two or three numbers at once.
    TACIT_ASSIGN_OR_RETURN(const std::int64_t wider,
                           plan.measures[j].noise->half_width(for_each_of(3, confidence)));
    NoisyMeasure together = one;
    together.half_width =
        plan.measures[j].grid.to_real_above(wider) * plan.measures[j].step.approximate();
    measures.push_back(std::move(one));
    joint.push_back(std::move(together));
  }
  TACIT_ASSIGN_OR_RETURN(const NoisyQuantiles quantiles,
                         noisy_quantiles(plan, exact, shown, permit, stream));
  Table table;
  for (std::size_t k = 0; k < aggregation.keys.size(); ++k) {
    table.fields.push_back({fmt::format("key_{}", k), aggregation.keys[k].expression->type()});
    std::vector<Cell> values;
    for (const GroupKeyValues& key : shown) values.push_back(key[k]);
    table.columns.push_back(std::move(values));
  }
  for (std::size_t j = 0; j < plan.answers.size(); ++j) {
    const AnswerPlan& answer = plan.answers[j];
    if (answer.kind == AggregateKind::kQuantile) {
      append_quantile(table, j, answer, quantiles[answer.quantile]);
    } else {
      append_answer(table, j, answer, plan, measures, joint, shown.size());
    }
  }
  return table;
}

}  // namespace

Result<std::vector<Table>> release(const QueryPlan& plan, Engine& engine, Permit&& permit,
                                   SecureStream& stream) {
  Permit held = std::move(permit);
  std::vector<Table> out;
  for (std::size_t i = 0; i < plan.aggregations.size(); ++i) {
    TACIT_ASSIGN_OR_RETURN(auto table, release_one(plan.query.aggregations[i], plan.aggregations[i],
                                                   plan.options.confidence, engine, held, stream));
    out.push_back(std::move(table));
  }
  return out;
}

}  // namespace tacit::sql

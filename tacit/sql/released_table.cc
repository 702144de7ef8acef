#include "tacit/sql/released_table_internal.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tacit/sql/estimate_internal.h"

namespace tacit::sql {
namespace {

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
    return Noisy{measures[measure].values[row], measures[measure].joint_half_width};
  };
  const Measure& offsets = plan.measures[answer.sum];
  const double lower = answer.lower.approximate();
  const double upper = answer.upper.approximate();
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
                   std::size_t rows) {
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
      const Noisy estimate = derived(answer, plan, measures, row);
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

// An answer whose argument found no range says nothing: it was released over a range that stands
// in for one.
bool has_no_range(const AnswerPlan& answer, const AggregationPlan& plan) {
  const auto& ranges = plan.learned.ranges;
  return answer.range && *answer.range < ranges.size() && !ranges[*answer.range];
}

}  // namespace

Table released_table(const Aggregation& aggregation, const AggregationPlan& plan,
                     const std::vector<GroupKeyValues>& shown,
                     const std::vector<NoisyMeasure>& measures, const NoisyQuantiles& quantiles) {
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
      append_answer(table, j, answer, plan, measures, shown.size());
    }
    if (has_no_range(answer, plan)) {
      for (auto column = table.columns.end() - 2; column != table.columns.end(); ++column) {
        std::ranges::fill(*column, Cell());
      }
    }
  }
  return table;
}

}  // namespace tacit::sql

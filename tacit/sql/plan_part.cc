#include <fmt/format.h>

#include <algorithm>

#include "tacit/sql/plan_part_internal.h"

namespace tacit::sql {
namespace {

// Keeps some of a list, and tells where each went.
class Kept {
 public:
  std::size_t operator()(std::size_t index) {
    const auto found = std::ranges::find(indices_, index);
    if (found == indices_.end()) indices_.push_back(index);
    return static_cast<std::size_t>(std::ranges::find(indices_, index) - indices_.begin());
  }

  template <class T>
  [[nodiscard]] std::vector<T> of(const std::vector<T>& all) const {
    std::vector<T> out;
    for (const std::size_t index : indices_) out.push_back(all[index]);
    return out;
  }

 private:
  std::vector<std::size_t> indices_;
};

AnswerPlan moved(AnswerPlan answer, Kept& measures, Kept& quantiles) {
  switch (answer.kind) {
    case AggregateKind::kQuantile:
      answer.quantile = quantiles(answer.quantile);
      return answer;
    case AggregateKind::kSum:
      answer.sum = measures(answer.sum);
      return answer;
    case AggregateKind::kCount:
    case AggregateKind::kCountDistinct:
    case AggregateKind::kCountUnits:
      answer.count = measures(answer.count);
      return answer;
    default:
      answer.count = measures(answer.count);
      answer.sum = measures(answer.sum);
      if (answer.kind != AggregateKind::kAverage) answer.squares = measures(answer.squares);
      return answer;
  }
}

}  // namespace

Aggregation part_of(const Aggregation& aggregation, const std::vector<std::size_t>& aggregates) {
  Aggregation out{.input = aggregation.input, .keys = aggregation.keys};
  for (const std::size_t index : aggregates) {
    out.aggregates.push_back(aggregation.aggregates[index]);
  }
  return out;
}

AggregationPlan part_of(const AggregationPlan& plan, const std::vector<std::size_t>& aggregates) {
  AggregationPlan out = plan;
  out.answers.clear();
  Kept measures;
  Kept quantiles;
  for (const std::size_t index : aggregates) {
    out.answers.push_back(moved(plan.answers[index], measures, quantiles));
  }
  out.measures = measures.of(plan.measures);
  out.quantiles = quantiles.of(plan.quantiles);
  return out;
}

Table part_of(const Table& released, std::size_t keys, const std::vector<std::size_t>& aggregates) {
  Table out;
  const auto take = [&](std::size_t column, std::string name) {
    out.fields.push_back({std::move(name), released.fields[column].type});
    out.columns.push_back(released.columns[column]);
  };
  for (std::size_t k = 0; k < keys; ++k) take(k, released.fields[k].name);
  for (std::size_t j = 0; j < aggregates.size(); ++j) {
    const std::size_t value = keys + 2 * aggregates[j];
    take(value, fmt::format("value_{}", j));
    take(value + 1, fmt::format("half_width_{}", j));
  }
  return out;
}

}  // namespace tacit::sql

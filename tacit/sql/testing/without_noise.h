#pragma once

#include <map>
#include <utility>
#include <vector>

#include "tacit/sql/exact_groups_internal.h"
#include "tacit/sql/release.h"
#include "tacit/sql/released_table_internal.h"

namespace tacit::sql::testing {

// The road of a query without its noise: what release() would add noise to, and the answer made of
// it. Every private key is shown. Only tests may include this file.

inline std::vector<GroupKeyValues> keys_of(const ExactGroups& exact) {
  std::vector<GroupKeyValues> keys;
  for (const auto& [key, group] : exact) keys.push_back(key);
  return keys;
}

inline NoisyMeasure exact_measure(const Measure& measure, const std::vector<int128>& totals) {
  NoisyMeasure out;
  for (const int128 total : totals) {
    out.values.push_back(static_cast<double>(total) * measure.step.approximate());
    out.whole.push_back(total);
  }
  return out;
}

// The first value with at least that share of all values at or below it; the least where there is
// none.
inline double exact_quantile(const QuantileMeasure& measure, const Rational& share,
                             const std::vector<GridCount>& counts) {
  std::map<std::int64_t, std::uint64_t> ordered;
  std::uint64_t all = 0;
  for (const GridCount& at : counts) {
    ordered[at.steps] += at.values;
    all += at.values;
  }
  std::uint64_t below = 0;
  for (const auto& [steps, values] : ordered) {
    below += values;
    if (Rational(static_cast<std::int64_t>(below)) >=
        share * Rational(static_cast<std::int64_t>(all))) {
      return measure.clamp.grid().to_real(steps);
    }
  }
  return 0;
}

inline Result<Table> table_without_noise(const Aggregation& aggregation,
                                         const AggregationPlan& plan, Engine& engine) {
  TACIT_ASSIGN_OR_RETURN(const ExactGroups exact,
                         exact_groups(aggregation, plan, engine, "a secret of tests"));
  std::vector<GroupKeyValues> shown = keys_of(exact);
  if (plan.public_keys) {
    TACIT_ASSIGN_OR_RETURN(shown, public_groups(plan, engine));
  }
  static const ExactGroup nobody;
  const auto group_of = [&](const GroupKeyValues& key) -> const ExactGroup& {
    const auto found = exact.find(key);
    return found == exact.end() ? nobody : found->second;
  };
  std::vector<NoisyMeasure> measures;
  for (std::size_t j = 0; j < plan.measures.size(); ++j) {
    std::vector<int128> totals;
    for (const GroupKeyValues& key : shown) {
      const ExactGroup& group = group_of(key);
      totals.push_back(group.totals.empty() ? int128{0} : group.totals[j]);
    }
    measures.push_back(exact_measure(plan.measures[j], totals));
  }
  NoisyQuantiles quantiles;
  for (std::size_t j = 0; j < plan.quantiles.size(); ++j) {
    const QuantileMeasure& measure = plan.quantiles[j];
    auto& groups = quantiles.emplace_back();
    for (const GroupKeyValues& key : shown) {
      const ExactGroup& group = group_of(key);
      auto& answers = groups.emplace_back();
      for (const Rational& share : measure.shares) {
        answers.push_back(
            {exact_quantile(measure, share,
                            group.counts.empty() ? std::vector<GridCount>{} : group.counts[j]),
             {}});
      }
    }
  }
  return released_table(aggregation, plan, shown, measures, quantiles);
}

inline Result<Answer> answer_without_noise(const QueryPlan& plan, Engine& engine,
                                           Engine& embedded) {
  std::vector<Table> tables;
  for (std::size_t i = 0; i < plan.aggregations.size(); ++i) {
    TACIT_ASSIGN_OR_RETURN(
        auto table, table_without_noise(plan.query.aggregations[i], plan.aggregations[i], engine));
    tables.push_back(std::move(table));
  }
  return finish(plan, tables, engine, embedded);
}

}  // namespace tacit::sql::testing

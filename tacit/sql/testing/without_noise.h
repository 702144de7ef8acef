#pragma once

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "tacit/sql/exact_groups_internal.h"
#include "tacit/sql/learned.h"
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

// An engine's answer as whole numbers.
inline Result<std::vector<std::vector<std::int64_t>>> whole_numbers(const std::string& sql,
                                                                    Engine& engine) {
  TACIT_ASSIGN_OR_RETURN(const Table answer, engine.query(sql));
  std::vector<std::vector<std::int64_t>> out(answer.rows());
  for (std::size_t c = 0; c < answer.columns.size(); ++c) {
    for (std::size_t r = 0; r < out.size(); ++r) {
      TACIT_ASSIGN_OR_RETURN(const int128 value,
                             exact_number(answer.columns[c][r], answer.fields[c].type, 0));
      out[r].push_back(static_cast<std::int64_t>(value));
    }
  }
  return out;
}

// The least candidate that 9 units in 10 stay within.
inline Result<std::uint64_t> count_without_noise(const CountLearner& learner,
                                                 const std::string& sql, Engine& engine) {
  TACIT_ASSIGN_OR_RETURN(const auto rows, whole_numbers(sql, engine));
  std::map<std::int64_t, std::int64_t> units;
  std::int64_t all = 0;
  for (const auto& row : rows) {
    units[row[0]] += row[1];
    all += row[1];
  }
  std::int64_t below = 0;
  for (const auto& [number, count] : units) {
    below += count;
    if (10 * below < 9 * all) continue;
    const std::vector<std::uint64_t> numbers = candidates(learner.most);
    const auto found = std::ranges::lower_bound(numbers, static_cast<std::uint64_t>(number));
    return found == numbers.end() ? learner.most : *found;
  }
  return 1;
}

// Between the edges of the outermost bins that hold anything.
inline Result<std::optional<ValueRange>> range_without_noise(const RangeLearner& learner,
                                                             const std::string& sql,
                                                             Engine& engine) {
  TACIT_ASSIGN_OR_RETURN(const auto rows, whole_numbers(sql, engine));
  if (rows.empty()) return std::nullopt;
  const auto edge = [&](std::int64_t bin, bool outer) {
    if (bin == 0) return Rational(0);
    const std::int64_t digits = bin < 0 ? -bin : bin;
    const Rational size = Rational::power_of_two(outer ? digits : digits - 1) * learner.step;
    return bin < 0 ? -size : size;
  };
  std::int64_t low = rows.front()[0];
  std::int64_t high = rows.front()[1];
  for (const auto& row : rows) {
    low = std::min(low, row[0]);
    high = std::max(high, row[1]);
  }
  return ValueRange{.lower = edge(low, low < 0), .upper = edge(high, high > 0)};
}

inline Result<LearnedBounds> learn_without_noise(const Aggregation& aggregation,
                                                 const AggregationPlan& plan, Engine& engine) {
  const auto statements = learner_statements(aggregation, plan, engine.dialect());
  auto statement = statements.begin();
  LearnedBounds out;
  if (plan.learners.rows) {
    TACIT_ASSIGN_OR_RETURN(out.rows,
                           count_without_noise(*plan.learners.rows, statement++->sql, engine));
  }
  if (plan.learners.groups) {
    TACIT_ASSIGN_OR_RETURN(out.groups,
                           count_without_noise(*plan.learners.groups, statement++->sql, engine));
  }
  for (const RangeLearner& learner : plan.learners.ranges) {
    TACIT_ASSIGN_OR_RETURN(auto range, range_without_noise(learner, statement++->sql, engine));
    out.ranges.push_back(std::move(range));
  }
  return out;
}

// The plan as the rows would settle it.
inline Result<QueryPlan> settled_without_noise(const QueryPlan& plan, Engine& engine) {
  std::vector<LearnedBounds> learned;
  for (std::size_t i = 0; i < plan.aggregations.size(); ++i) {
    TACIT_ASSIGN_OR_RETURN(
        auto one, learn_without_noise(plan.query.aggregations[i], plan.aggregations[i], engine));
    learned.push_back(std::move(one));
  }
  return settle(plan, learned);
}

inline Result<Answer> answer_without_noise(const QueryPlan& plan, Engine& engine,
                                           Engine& embedded) {
  TACIT_ASSIGN_OR_RETURN(const QueryPlan settled, settled_without_noise(plan, engine));
  std::vector<Table> tables;
  for (std::size_t i = 0; i < settled.aggregations.size(); ++i) {
    TACIT_ASSIGN_OR_RETURN(auto table, table_without_noise(settled.query.aggregations[i],
                                                           settled.aggregations[i], engine));
    tables.push_back(std::move(table));
  }
  return finish(settled, tables, engine, embedded);
}

}  // namespace tacit::sql::testing

#include "tacit/sql/exact_groups_internal.h"

#include <set>
#include <utility>

#include "tacit/sql/aggregate_sql.h"

namespace tacit::sql {
namespace {

// The decimal places in which a measure's totals come from the engine.
int scale_of(const Measure& measure) {
  const bool exact = measure.argument && measure.argument->type().is_exact_number();
  const bool own = measure.kind == Measure::Kind::kSum || measure.kind == Measure::Kind::kOffsets;
  return exact && own ? measure.argument->type().scale : 0;
}

// The groups that public keys list. Rows of others are never shown, so they are left out here.
class ListedKeys {
 public:
  explicit ListedKeys(const AggregationPlan& plan) {
    if (!plan.public_keys) return;
    for (const KeyDomain& domain : plan.domains) {
      values_.emplace_back(domain.values.begin(), domain.values.end());
    }
  }

  [[nodiscard]] bool contain(const GroupKeyValues& key) const {
    for (std::size_t k = 0; k < values_.size(); ++k) {
      if (!values_[k].empty() && !values_[k].contains(key[k])) return false;
    }
    return true;
  }

 private:
  std::vector<std::set<Cell>> values_;  // of each key; none: those of a public table
};

GroupKeyValues key_at(const Table& answer, std::size_t keys, std::size_t row) {
  GroupKeyValues key;
  for (std::size_t k = 0; k < keys; ++k) key.push_back(answer.columns[k][row]);
  return key;
}

Result<void> read(const MeasureStatement& statement, const Table& answer,
                  const AggregationPlan& plan, std::size_t keys, ExactGroups& groups) {
  const ListedKeys listed(plan);
  const std::size_t wanted = keys + (statement.units ? 1 : 0) + statement.measures.size();
  if (answer.columns.size() != wanted) {
    return world_failed("the engine answered with other columns than asked for", "engine");
  }
  for (std::size_t row = 0; row < answer.rows(); ++row) {
    GroupKeyValues key = key_at(answer, keys, row);
    if (!listed.contain(key)) continue;
    std::size_t column = keys;
    int128 units = 0;
    if (statement.units) {
      TACIT_ASSIGN_OR_RETURN(
          units, exact_number(answer.columns[column][row], answer.fields[column].type, 0));
      ++column;
      if (units == 0) continue;  // rows of nobody alone: there is no such group
    }
    ExactGroup& group = groups[std::move(key)];
    group.totals.resize(plan.measures.size());
    if (statement.units) group.units = static_cast<std::uint64_t>(units);
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
  const ListedKeys listed(plan);
  if (answer.columns.size() != keys + 2) {
    return world_failed("the engine answered with other columns than asked for", "engine");
  }
  for (std::size_t row = 0; row < answer.rows(); ++row) {
    GroupKeyValues key = key_at(answer, keys, row);
    if (!listed.contain(key)) continue;
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

}  // namespace

Result<ExactGroups> exact_groups(const Aggregation& aggregation, const AggregationPlan& plan,
                                 Engine& engine, std::string_view secret) {
  ExactGroups groups;
  const auto statements = measure_statements(aggregation, plan, engine.dialect(), secret);
  TACIT_RETURN_IF_ERROR(check_length(statements));
  for (const MeasureStatement& statement : statements) {
    TACIT_ASSIGN_OR_RETURN(const Table answer, engine.query(statement.sql));
    const std::size_t keys = aggregation.keys.size();
    TACIT_RETURN_IF_ERROR(statement.quantile
                              ? read_quantile(*statement.quantile, answer, plan, keys, groups)
                              : read(statement, answer, plan, keys, groups));
  }
  return groups;
}

}  // namespace tacit::sql

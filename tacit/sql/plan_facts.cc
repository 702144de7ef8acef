#include "tacit/sql/plan_facts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tacit/sql/aggregate_sql.h"
#include "tacit/sql/fingerprint.h"
#include "tacit/sql/learned.h"
#include "tacit/sql/learned_facts_internal.h"

namespace tacit::sql {
namespace {

void add_tables(const Relation& relation, std::vector<const TableSchema*>& out) {
  struct Visitor {
    std::vector<const TableSchema*>& out;

    void operator()(const Scan& node) const {
      if (std::ranges::find(out, node.table) == out.end()) out.push_back(node.table);
    }
    void operator()(const Product& node) const { all(node.inputs); }
    void operator()(const Project& node) const { add_tables(*node.input, out); }
    void operator()(const LeftJoin& node) const { all({node.left, node.right}); }
    void operator()(const SemiJoin& node) const { all({node.left, node.right}); }
    void operator()(const UnionAll& node) const { all(node.inputs); }
    void operator()(const UnitGroup& node) const { add_tables(*node.input, out); }
    void all(const std::vector<RelationPtr>& inputs) const {
      for (const RelationPtr& input : inputs) add_tables(*input, out);
    }
  };
  std::visit(Visitor{out}, relation.node());
}

// Where the path of keys ends: tables between have no unit of their own.
std::string unit_text(const std::vector<const TableSchema*>& tables) {
  std::vector<std::string> parts;
  for (const TableSchema* table : tables) {
    if (table->unit.kind == Unit::Kind::kRow) parts.push_back("a row of " + table->name);
    if (table->unit.kind == Unit::Kind::kColumns) {
      std::vector<std::string> names;
      for (const std::string& column : table->unit.columns) {
        names.push_back(table->name + "." + column);
      }
      parts.push_back(fmt::format("{}", fmt::join(names, " and ")));
    }
  }
  return fmt::format("{}", fmt::join(parts, " = "));
}

std::string kind_text(Measure::Kind kind) {
  switch (kind) {
    case Measure::Kind::kUnits:
      return "units";
    case Measure::Kind::kCount:
      return "rows";
    case Measure::Kind::kDistinct:
      return "distinct values";
    case Measure::Kind::kSum:
      return "sum";
    case Measure::Kind::kOffsets:
      return "sum of offsets from the middle";
    case Measure::Kind::kSquaredOffsets:
      return "sum of squared offsets";
  }
  return {};
}

Result<NoiseFacts> noise_of(const Measure& measure, double confidence) {
  if (!measure.noise) return bad_input("this plan has no prices", "plan", "make it with plan()");
  TACIT_ASSIGN_OR_RETURN(const std::int64_t steps, measure.noise->half_width(confidence));
  return NoiseFacts{
      .what = kind_text(measure.kind),
      .lower = Rational(measure.lower) * measure.step,
      .upper = Rational(measure.upper) * measure.step,
      .law = std::holds_alternative<PureTarget>(measure.target) ? "discrete Laplace"
                                                                : "discrete Gaussian",
      .cost = measure.noise->cost().to_text(),
      .half_width = measure.grid.to_real_above(steps) * measure.step.approximate(),
  };
}

ColumnFacts column_of(const Aggregate& aggregate, const AnswerPlan& answer,
                      const std::vector<NoiseFacts>& noise, const AggregationPlan& plan) {
  ColumnFacts out{.asked = aggregate.text, .made_of = measures_of(answer)};
  out.mechanism = out.made_of.empty() ? "exponential" : noise[out.made_of.front()].law;
  // A number of units depends on no number of rows.
  const bool settled = !plan.learns() || plan.learned.any() ||
                       (answer.kind == AggregateKind::kCountUnits && !plan.learners.groups);
  const bool known = out.made_of.size() == 1 && settled;
  if (known) out.half_width = noise[out.made_of.front()].half_width;
  return out;
}

KeyFacts key_of(const GroupKey& key, const AggregationPlan& plan, std::size_t index) {
  KeyFacts out{.name = key.name, .domain = "private"};
  if (!plan.public_keys) return out;
  const KeyDomain& domain = plan.domains[index];
  out.domain = domain.column
                   ? fmt::format("column {} of {}",
                                 domain.column->table->columns[domain.column->column].name,
                                 domain.column->table->name)
                   : fmt::format("{} values", domain.values.size());
  return out;
}

Result<ReleaseFacts> release_of(const Aggregation& aggregation, const AggregationPlan& plan,
                                const QueryPlan& whole, const Dialect& dialect) {
  std::vector<const TableSchema*> tables;
  add_tables(*aggregation.input, tables);
  ReleaseFacts out{.unit = unit_text(tables),
                   .row_is_unit = plan.row_is_unit,
                   .groups = plan.groups,
                   .rows = plan.rows,
                   .learned = learned_facts(plan),
                   .cut_groups = plan.cut_groups};
  for (const TableSchema* table : tables) out.tables.push_back(table->name);
  for (std::size_t k = 0; k < aggregation.keys.size(); ++k) {
    out.keys.push_back(key_of(aggregation.keys[k], plan, k));
  }
  if (plan.selection) out.selection = plan.selection->cost().to_text();
  for (const Measure& measure : plan.measures) {
    TACIT_ASSIGN_OR_RETURN(auto noise, noise_of(measure, whole.options.confidence));
    out.noise.push_back(std::move(noise));
  }
  for (std::size_t j = 0; j < plan.answers.size(); ++j) {
    out.columns.push_back(column_of(aggregation.aggregates[j], plan.answers[j], out.noise, plan));
  }
  TACIT_ASSIGN_OR_RETURN(
      out.examples, example_facts(aggregation, plan, whole.neighbours, whole.options.confidence));
  for (LearnerStatement& statement : learner_statements(aggregation, plan, dialect)) {
    out.statements.push_back(std::move(statement.sql));
  }
  for (MeasureStatement& statement :
       measure_statements(aggregation, plan, dialect, kSecretPlaceholder)) {
    out.statements.push_back(std::move(statement.sql));
  }
  return out;
}

Json keys_json(const std::vector<KeyFacts>& keys) {
  Json out = Json::array();
  for (const KeyFacts& key : keys) out.push_back({{"name", key.name}, {"domain", key.domain}});
  return out;
}

Json noise_json(const std::vector<NoiseFacts>& noise) {
  Json out = Json::array();
  for (const NoiseFacts& each : noise) {
    out.push_back({{"what", each.what},
                   {"unit_adds", {each.lower.approximate(), each.upper.approximate()}},
                   {"law", each.law},
                   {"cost", each.cost},
                   {"half_width", each.half_width}});
  }
  return out;
}

Json columns_json(const std::vector<ColumnFacts>& columns) {
  Json out = Json::array();
  for (const ColumnFacts& column : columns) {
    out.push_back({{"asked", column.asked},
                   {"made_of", column.made_of},
                   {"mechanism", column.mechanism},
                   {"half_width", column.half_width ? Json(*column.half_width) : Json(nullptr)}});
  }
  return out;
}

Json range_json(const ValueRange& range) {
  return {range.lower.approximate(), range.upper.approximate()};
}

Json learned_json(const std::vector<LearnedFacts>& learned) {
  Json out = Json::array();
  for (const LearnedFacts& each : learned) {
    Json found = nullptr;
    if (each.found) {
      found = each.kind == LearnedFacts::Kind::kRange ? range_json(*each.found)
                                                      : Json(each.found->upper.approximate());
    }
    out.push_back({{"what", each.what},
                   {"within", range_json(each.within)},
                   {"cost", each.cost},
                   {"settled", each.settled},
                   {"found", std::move(found)}});
  }
  return out;
}

Json examples_json(const std::vector<ExampleFacts>& examples) {
  Json out = Json::array();
  for (const ExampleFacts& each : examples) {
    Json half_widths = Json::array();
    for (const auto& half_width : each.half_widths) {
      half_widths.push_back(half_width ? Json(*half_width) : Json(nullptr));
    }
    out.push_back({{"bounds", each.bounds}, {"half_widths", std::move(half_widths)}});
  }
  return out;
}

}  // namespace

Result<PlanFacts> facts_of(const QueryPlan& plan, const Dialect& dialect) {
  PlanFacts out{.neighbours = plan.neighbours, .confidence = plan.options.confidence};
  bool uses_delta = plan.gaussian;
  for (std::size_t i = 0; i < plan.aggregations.size(); ++i) {
    TACIT_ASSIGN_OR_RETURN(
        auto release, release_of(plan.query.aggregations[i], plan.aggregations[i], plan, dialect));
    uses_delta = uses_delta || release.selection.has_value();
    out.releases.push_back(std::move(release));
  }
  if (!out.releases.empty()) out.epsilon = plan.options.epsilon;
  if (uses_delta) out.delta = plan.options.delta.value_or(Rational(0));
  return out;
}

Json to_json(const PlanFacts& facts) {
  Json releases = Json::array();
  for (const ReleaseFacts& release : facts.releases) {
    releases.push_back({{"tables", release.tables},
                        {"unit", release.unit},
                        {"row_is_unit", release.row_is_unit},
                        {"max_groups", release.groups},
                        {"max_rows", release.rows == 0 ? Json(nullptr) : Json(release.rows)},
                        {"learned", learned_json(release.learned)},
                        {"examples", examples_json(release.examples)},
                        {"groups_are_cut", release.cut_groups},
                        {"keys", keys_json(release.keys)},
                        {"selection", release.selection ? Json(*release.selection) : Json(nullptr)},
                        {"noise", noise_json(release.noise)},
                        {"columns", columns_json(release.columns)},
                        {"statements", release.statements}});
  }
  return {{"neighbours", name(facts.neighbours)},
          {"epsilon", facts.epsilon.to_string()},
          {"delta", facts.delta.to_string()},
          {"confidence", facts.confidence},
          {"releases", std::move(releases)}};
}

}  // namespace tacit::sql

#include "tacit/sql/fingerprint.h"

#include "tacit/sql/aggregate_sql.h"
#include "tacit/sql/learned.h"

namespace tacit::sql {
namespace {

// Raised where the meaning of a part changes, so that older releases on record are not mistaken.
constexpr int kFormat = 1;

Json domain_of(const KeyDomain& domain, const Type& type, const Dialect& dialect) {
  if (domain.column) {
    return {{"source", domain.column->table->source}, {"column", domain.column->column}};
  }
  Json values = Json::array();
  for (const Cell& value : domain.values) values.push_back(dialect.literal(value, type));
  return values;
}

// What is learnt first.
Json learners_of(const Aggregation& aggregation, const AggregationPlan& plan,
                 const Dialect& dialect) {
  const Learners& learners = plan.learners;
  Json statements = Json::array();
  for (const LearnerStatement& each : learner_statements(aggregation, plan, dialect)) {
    statements.push_back(each.sql);
  }
  Json ranges = Json::array();
  for (const RangeLearner& range : learners.ranges) {
    ranges.push_back(
        {range.step.to_string(), range.digits, range.mechanism ? range.mechanism->threshold() : 0});
  }
  return {{"statements", statements},
          {"rows", learners.rows ? Json(learners.rows->most) : Json(nullptr)},
          {"groups", learners.groups ? Json(learners.groups->most) : Json(nullptr)},
          {"ranges", ranges}};
}

Json aggregation_of(const Aggregation& aggregation, const AggregationPlan& plan,
                    const Dialect& dialect) {
  Json statements = Json::array();
  for (const MeasureStatement& statement :
       measure_statements(aggregation, plan, dialect, kSecretPlaceholder)) {
    statements.push_back({{"sql", statement.sql}, {"measures", statement.measures}});
  }
  Json keys = Json::array();
  for (std::size_t k = 0; k < aggregation.keys.size(); ++k) {
    const Type& type = aggregation.keys[k].expression->type();
    keys.push_back({{"type", name(type)},
                    {"domain", plan.public_keys ? domain_of(plan.domains[k], type, dialect)
                                                : Json("private")}});
  }
  Json answers = Json::array();
  for (const AnswerPlan& answer : plan.answers) {
    answers.push_back({static_cast<int>(answer.kind), answer.count, answer.sum, answer.squares,
                       answer.quantile, answer.share});
  }
  Json measures = Json::array();
  for (const Measure& measure : plan.measures) {
    measures.push_back({measure.step.to_string(), measure.lower, measure.upper, measure.centre,
                        measure.grid.exponent()});
  }
  Json quantiles = Json::array();
  for (const QuantileMeasure& measure : plan.quantiles) {
    Json shares = Json::array();
    for (const Rational& share : measure.shares) shares.push_back(share.to_string());
    quantiles.push_back({{"shares", shares},
                         {"lower", measure.clamp.lower()},
                         {"upper", measure.clamp.upper()},
                         {"grid", measure.clamp.grid().exponent()}});
  }
  Json out = {{"statements", statements}, {"keys", keys},           {"answers", answers},
              {"measures", measures},     {"quantiles", quantiles}, {"groups", plan.groups},
              {"rows", plan.rows}};
  if (plan.learns()) out["learners"] = learners_of(aggregation, plan, dialect);
  return out;
}

}  // namespace

Digest fingerprint(const QueryPlan& plan, const std::string& dataset, const Dialect& dialect) {
  Json aggregations = Json::array();
  for (std::size_t i = 0; i < plan.aggregations.size(); ++i) {
    aggregations.push_back(
        aggregation_of(plan.query.aggregations[i], plan.aggregations[i], dialect));
  }
  const Json all = {{"format", kFormat},           {"dataset", dataset},
                    {"dialect", dialect.name()},   {"confidence", plan.options.confidence},
                    {"cost", plan.cost.to_json()}, {"aggregations", aggregations}};
  return Digest::of(all.dump(-1, ' ', true, Json::error_handler_t::replace));
}

}  // namespace tacit::sql

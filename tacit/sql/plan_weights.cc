#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tacit/sql/plan_weights_internal.h"

namespace tacit::sql {
namespace {

// Weights with denominators that keep rationals short; only the split depends on them.
Rational weight_of(std::uint64_t uses) {
  // The sum of the errors c_i / e_i under a fixed sum of the e_i is least for e_i in proportion to
  // the root of c_i.
  const auto thousandths = std::llround(1000 * std::sqrt(static_cast<double>(uses)));
  return Rational(thousandths) / Rational(1000);
}

// The name under which the answer shows an aggregate as it is; empty where it does not.
std::string name_in_answer(const BoundQuery& query, std::size_t release, std::size_t aggregate) {
  const Json node = query.outer.value("node", Json::object());
  const Json from = node.value("from_table", Json::object());
  if (string_of(from, "table_name") != fmt::format("released_{}", release)) return {};
  for (const Json& item : node.value("select_list", Json::array())) {
    if (string_of(item, "class") == "COLUMN_REF" &&
        item.at("column_names").back() == fmt::format("value_{}", aggregate)) {
      return string_of(item, "alias");
    }
  }
  return {};
}

// The shares of all aggregates, each named once.
class Shares {
 public:
  explicit Shares(const std::vector<ColumnShare>& shares)
      : shares_(shares), used_(shares.size(), false) {}

  Result<Rational> of(const Aggregate& aggregate, const std::string& name) {
    for (std::size_t i = 0; i < shares_.size(); ++i) {
      if (shares_[i].column != name && shares_[i].column != aggregate.text) continue;
      used_[i] = true;
      if (shares_[i].share.sign() > 0) return shares_[i].share;
      return bad_input(fmt::format("the share of {} must be above 0", shares_[i].column), "--share",
                       "give a number such as 0.5");
    }
    return bad_input(fmt::format("{} has no share", name.empty() ? aggregate.text : name),
                     "--share", "name every aggregate, by its column or as it is written");
  }

  [[nodiscard]] Result<void> all_used() const {
    const auto unused = std::ranges::find(used_, false);
    if (unused == used_.end()) return {};
    const auto index = static_cast<std::size_t>(unused - used_.begin());
    return bad_input(fmt::format("nothing in the answer is called {}", shares_[index].column),
                     "--share", "name columns that are aggregates and nothing else");
  }

 private:
  const std::vector<ColumnShare>& shares_;
  std::vector<bool> used_;
};

void weigh_for_least_error(std::vector<AggregationPlan>& plans) {
  for (AggregationPlan& plan : plans) {
    for (Measure& measure : plan.measures) measure.weight = weight_of(measure.uses);
    for (QuantileMeasure& quantile : plan.quantiles) quantile.weight = weight_of(quantile.uses);
  }
}

// A column's share goes in equal parts to the measures it is made of.
void add_share(AggregationPlan& plan, const AnswerPlan& answer, const Rational& share) {
  if (answer.kind == AggregateKind::kQuantile) {
    plan.quantiles[answer.quantile].weight = plan.quantiles[answer.quantile].weight + share;
    return;
  }
  const auto measures = measures_of(answer);
  const Rational part = share / Rational(static_cast<std::int64_t>(measures.size()));
  for (const std::size_t index : measures) {
    plan.measures[index].weight = plan.measures[index].weight + part;
  }
}

// Calls visit(weight) for each.
template <class Visit>
void for_weights(std::vector<AggregationPlan>& plans, const Visit& visit) {
  for (AggregationPlan& plan : plans) {
    for (Measure& measure : plan.measures) visit(measure.weight);
    for (QuantileMeasure& quantile : plan.quantiles) visit(quantile.weight);
  }
}

}  // namespace

std::vector<std::size_t> measures_of(const AnswerPlan& answer) {
  switch (answer.kind) {
    case AggregateKind::kCount:
    case AggregateKind::kCountDistinct:
    case AggregateKind::kCountUnits:
      return {answer.count};
    case AggregateKind::kSum:
      return {answer.sum};
    case AggregateKind::kAverage:
      return {answer.count, answer.sum};
    case AggregateKind::kQuantile:
      return {};
    default:
      return {answer.count, answer.sum, answer.squares};
  }
}

Result<void> weigh(std::vector<AggregationPlan>& plans, const BoundQuery& query,
                   const PlanOptions& options) {
  weigh_for_least_error(plans);
  if (options.shares.empty()) return {};
  // What else is paid for (the choice of keys) keeps its part of the whole.
  Rational whole;
  for_weights(plans, [&](Rational& weight) {
    whole = whole + weight;
    weight = Rational(0);
  });
  Shares shares(options.shares);
  Rational total;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    for (std::size_t j = 0; j < plans[i].answers.size(); ++j) {
      TACIT_ASSIGN_OR_RETURN(const Rational share, shares.of(query.aggregations[i].aggregates[j],
                                                             name_in_answer(query, i, j)));
      add_share(plans[i], plans[i].answers[j], share);
      total = total + share;
    }
  }
  TACIT_RETURN_IF_ERROR(shares.all_used());
  for_weights(plans, [&](Rational& weight) { weight = weight * whole / total; });
  return {};
}

}  // namespace tacit::sql

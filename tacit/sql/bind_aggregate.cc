#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "tacit/sql/binder_internal.h"

namespace tacit::sql {
namespace {

struct Meaning {
  AggregateKind kind;
  bool minimum = false;
  bool maximum = false;
};

constexpr std::array<std::pair<std::string_view, Meaning>, 22> kAnswered{{
    {"count_star", {AggregateKind::kCount}},
    {"count", {AggregateKind::kCount}},
    {"sum", {AggregateKind::kSum}},
    {"avg", {AggregateKind::kAverage}},
    {"mean", {AggregateKind::kAverage}},
    {"var_pop", {AggregateKind::kVariance}},
    {"variance", {AggregateKind::kSampleVariance}},
    {"var_samp", {AggregateKind::kSampleVariance}},
    {"stddev_pop", {AggregateKind::kDeviation}},
    {"stddev", {AggregateKind::kSampleDeviation}},
    {"stddev_samp", {AggregateKind::kSampleDeviation}},
    {"median", {AggregateKind::kQuantile}},
    {"quantile", {AggregateKind::kQuantile}},
    {"quantile_cont", {AggregateKind::kQuantile}},
    {"quantile_disc", {AggregateKind::kQuantile}},
    {"percentile_cont", {AggregateKind::kQuantile}},
    {"percentile_disc", {AggregateKind::kQuantile}},
    {"approx_quantile", {AggregateKind::kQuantile}},
    {"min", {.kind = AggregateKind::kQuantile, .minimum = true}},
    {"max", {.kind = AggregateKind::kQuantile, .maximum = true}},
    {"count_if", {AggregateKind::kCount}},
    {"countif", {AggregateKind::kCount}},
}};

// Aggregates that engines have and private SQL refuses by name.
constexpr std::array<std::string_view, 37> kRefused{
    "any_value",    "arbitrary",    "arg_max",  "arg_min",    "argmax",
    "argmin",       "array_agg",    "bit_and",  "bit_or",     "bit_xor",
    "bool_and",     "bool_or",      "corr",     "covar_pop",  "covar_samp",
    "entropy",      "favg",         "first",    "fsum",       "geomean",
    "group_concat", "histogram",    "kurtosis", "last",       "list",
    "listagg",      "mad",          "max_by",   "min_by",     "mode",
    "product",      "regr_slope",   "skewness", "string_agg", "approx_count_distinct",
    "sumkahan",     "bitstring_agg"};

const Meaning* meaning_of(std::string_view name) {
  const auto* found =
      std::ranges::find(kAnswered, name, &std::pair<std::string_view, Meaning>::first);
  return found == kAnswered.end() ? nullptr : &found->second;
}

std::string function_name(const Json& node) { return lower_name(string_of(node, "function_name")); }

bool has_class(const Json& node, std::string_view kind) { return string_of(node, "class") == kind; }

template <class Predicate>
bool contains(const Json& node, const Predicate& predicate) {
  bool found = false;
  visit_expressions(node, [&](const Json& part) {
    found = found || predicate(part);
    return !found;
  });
  return found;
}

// The argument's node, and a share given beside it or by WITHIN GROUP.
struct QuantileParts {
  const Json* argument = nullptr;
  std::optional<Rational> share;
};

QuantileParts quantile_parts(const Json& node, const std::string& name) {
  const Json& children = node.at("children");
  const Json& orders = node.at("order_bys").at("orders");
  if (name == "median" && children.size() == 1) {
    return {&children.at(0), *Rational::ratio(1, 2)};
  }
  if (children.size() == 2) return {&children.at(0), constant_number(children.at(1))};
  if (children.size() == 1 && orders.size() == 1) {
    auto share = constant_number(children.at(0));
    if (share && string_of(orders.at(0), "type") == "DESCENDING") share = Rational(1) - *share;
    return {&orders.at(0).at("expression"), share};
  }
  return {};
}

// The call as the analyst wrote it, to its closing parenthesis; its name where there is no text.
std::string written(const Json& node, const QueryText& text) {
  const auto found = node.find("query_location");
  const bool has_place = found != node.end() && found->is_number_unsigned();
  const auto begin = has_place ? found->get<std::uint64_t>() : text.text().size();
  int depth = 0;
  for (std::size_t i = begin; i < text.text().size(); ++i) {
    const char c = text.text()[i];
    if (c == '(') ++depth;
    if (c == ')' && --depth == 0) return text.text().substr(begin, i + 1 - begin);
    if (c == '\'' || c == '"') i = std::min(text.text().find(c, i + 1), text.text().size());
  }
  return function_name(node);
}

Result<ExpressionPtr> numeric_argument(const Json& node, const Scope& scope,
                                       const QueryText& text) {
  TACIT_ASSIGN_OR_RETURN(auto argument, bind_expression(node, scope, text));
  if (!argument->type().is_number()) {
    return text.refuse(node, "this needs numbers, not " + name(argument->type()), "CAST it");
  }
  return argument;
}

Result<void> bind_quantile(const Json& node, const Meaning& meaning, const Scope& scope,
                           const QueryText& text, Aggregate& out) {
  const std::string name = function_name(node);
  QuantileParts parts = quantile_parts(node, name);
  if (meaning.minimum || meaning.maximum) {
    parts = {node.at("children").empty() ? nullptr : &node.at("children").at(0),
             *Rational::ratio(meaning.minimum ? 1 : 199, 200)};
  }
  if (parts.argument == nullptr) return text.refuse(node, name + " needs one column", "name it");
  if (!parts.share || *parts.share <= Rational(0) || *parts.share >= Rational(1)) {
    return text.refuse(node, "a quantile needs a share between 0 and 1, written as a number",
                       "such as quantile_cont(x, 0.9)");
  }
  out.share = parts.share;
  TACIT_ASSIGN_OR_RETURN(out.argument, numeric_argument(*parts.argument, scope, text));
  return {};
}

Result<void> bind_count(const Json& node, const Relation& input, const Scope& scope,
                        const QueryText& text, Aggregate& out) {
  const Json& children = node.at("children");
  if (children.empty()) return {};
  if (children.size() > 1) {
    return text.refuse(node, "COUNT takes one column", "count an expression of them");
  }
  TACIT_ASSIGN_OR_RETURN(auto argument, bind_expression(children.at(0), scope, text));
  if (!node.value("distinct", false)) {
    if (function_name(node) != "count") {  // count_if
      if (argument->type().kind != TypeKind::kBoolean) {
        return text.refuse(node, "count_if takes a condition", "compare the column with something");
      }
      out.filter = std::move(argument);
      return {};
    }
    out.argument = std::move(argument);
    return {};
  }
  const auto column = as_column(*argument);
  if (column && input.unit().size() == 1 && input.unit().front() == *column) {
    out.kind = AggregateKind::kCountUnits;
    return {};
  }
  out.kind = AggregateKind::kCountDistinct;
  out.argument = std::move(argument);
  return {};
}

}  // namespace

bool is_aggregate(const Json& node) {
  if (!has_class(node, "FUNCTION")) return false;
  const std::string name = function_name(node);
  return meaning_of(name) != nullptr || std::ranges::find(kRefused, name) != kRefused.end();
}

bool contains_aggregate(const Json& node) {
  return contains(node, [](const Json& part) { return is_aggregate(part); });
}

bool contains_window(const Json& node) {
  return contains(node, [](const Json& part) { return has_class(part, "WINDOW"); });
}

Result<Aggregate> bind_aggregate(const Json& node, const Relation& input, const Scope& scope,
                                 const QueryText& text) {
  const std::string name = function_name(node);
  const Meaning* meaning = meaning_of(name);
  if (meaning == nullptr) {
    return text.refuse(node, fmt::format("the aggregate {} has no private form here", name),
                       "COUNT, SUM, AVG, VARIANCE, STDDEV, MEDIAN, quantiles, MIN and MAX do");
  }
  Aggregate out{.kind = meaning->kind, .text = written(node, text), .place = text.place(node)};
  if (node.contains("filter") && node["filter"].is_object()) {
    TACIT_ASSIGN_OR_RETURN(out.filter, bind_condition(node["filter"], scope, text));
  }
  if (out.kind == AggregateKind::kCount) {
    const ExpressionPtr outer_filter = out.filter;
    TACIT_RETURN_IF_ERROR(bind_count(node, input, scope, text, out));
    if (outer_filter && out.filter != outer_filter) {
      out.filter = make_call(Function::kAnd, {outer_filter, out.filter}, kBooleanType);
    }
    return out;
  }
  if (node.value("distinct", false)) {
    return text.refuse(node, "DISTINCT inside " + name, "only COUNT(DISTINCT x) is answered");
  }
  if (out.kind == AggregateKind::kQuantile) {
    TACIT_RETURN_IF_ERROR(bind_quantile(node, *meaning, scope, text, out));
    return out;
  }
  if (node.at("children").size() != 1) {
    return text.refuse(node, name + " takes one column", "give it one expression");
  }
  TACIT_ASSIGN_OR_RETURN(out.argument, numeric_argument(node.at("children").at(0), scope, text));
  return out;
}

}  // namespace tacit::sql

#include "tacit/sql/half_widths_internal.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <utility>

#include "tacit/sql/binder_internal.h"
#include "tacit/sql/noisy_aggregate_internal.h"
#include "tacit/sql/outer_query_internal.h"
#include "tacit/sql/syntax_parts_internal.h"

namespace tacit::sql {
namespace {

struct HalfWidth {
  Json expression;
  IntervalKind kind = IntervalKind::kNone;
  [[nodiscard]] bool is_known() const { return kind != IntervalKind::kNone; }
};

// Counts and sums have the noise of one measure; what is made of several, and a quantile, has an
// interval that was computed from released numbers.
IntervalKind kind_of(const AnswerPlan& answer) {
  switch (answer.kind) {
    case AggregateKind::kCount:
    case AggregateKind::kCountDistinct:
    case AggregateKind::kCountUnits:
    case AggregateKind::kSum:
      return IntervalKind::kExact;
    default:
      return IntervalKind::kApproximate;
  }
}

// Expressions that are written at most, over all columns.
constexpr std::size_t kMostWritten = 20'000;

std::size_t weight(const Json& node) {
  std::size_t out = 0;
  visit_expressions(node, [&](const Json&) {
    ++out;
    return true;
  });
  return out;
}

std::size_t size_of(const Json& node) {
  std::size_t out = 1;
  if (node.is_structured()) {
    for (const Json& child : node) out += size_of(child);
  }
  return out;
}

// `node` with `part`, wherever it occurs, moved by its half-width.
Json moved(const Json& node, const Json& part, const Json& half_width) {
  if (node.is_object() && node.contains("class") && same_syntax(node, part)) {
    return binary("+", without_alias(part), half_width);
  }
  Json out = node;
  if (!out.is_structured()) return out;
  if (out.is_array()) {
    for (Json& child : out) child = moved(child, part, half_width);
    return out;
  }
  for (auto& [key, child] : out.items()) {
    if (key != "subquery") child = moved(child, part, half_width);
  }
  return out;
}

class Carriage {
 public:
  explicit Carriage(const QueryPlan& plan) : reader_(plan), confidence_(plan.options.confidence) {}

  OuterQuery* read(Json& statement) { return reader_.read(statement["node"], nullptr, {}); }
  // The column with the half-widths of column `index`, which is added where it is not there yet.
  Carrier carrier(OuterQuery& query, std::size_t index);

 private:
  Carrier union_carrier(OuterQuery& query, std::size_t index);
  // Of a row that a set operation kept: the widest that its number had before, in a row like it.
  HalfWidth looked_up(const OuterQuery& query, std::size_t index);
  std::string add(OuterQuery& query, Json expression);

  // A number in an expression that has a half-width of its own.
  struct Part {
    Json node;
    HalfWidth half_width;
  };
  // Where an expression stands: in which SELECT, how many of its columns come before, and whether
  // inside groups.
  struct Place {
    OuterQuery& query;
    std::size_t column = 0;
    bool is_grouped = false;
  };
  HalfWidth of_expression(const Json& node, const Place& place);
  // A column with a half-width stands somewhere in `node`.
  bool has_noise(const Json& node, const Place& place);
  // Counts what it takes to write `node` with that part moved: names of columns stand for whole
  // expressions, so a short query could ask for a very long one.
  bool afford(const Json& node, const Part& part);
  // Empty: `node` is made of parts, or of nothing that has noise.
  std::optional<HalfWidth> of_part(const Json& node, const Place& place);
  HalfWidth of_column(const Json& node, const Place& place);
  HalfWidth of_source_column(const Source& source, std::size_t column);
  HalfWidth of_subquery(const Json& node, const Place& place);
  HalfWidth of_aggregate(const Json& node, const Place& place);
  HalfWidth of_window(const Json& node, const Place& place);

  OuterReader reader_;
  double confidence_;
  std::deque<Json> copies_;
  std::size_t written_ = 0;
};

std::string Carriage::add(OuterQuery& query, Json expression) {
  if (!query.branches.empty()) {
    std::vector<std::string> names;
    for (OuterQuery* branch : query.branches) names.push_back(add(*branch, expression));
    return names.front();
  }
  Json& node = *query.syntax;
  if (is_distinct(node)) group_by_all(node);
  std::string name = reader_.new_name("half_width");
  expression["alias"] = name;
  node["select_list"].push_back(std::move(expression));
  return name;
}

Carrier Carriage::carrier(OuterQuery& query, std::size_t index) {
  if (query.is_closed || index >= query.names.size()) return {};
  if (const auto found = query.carriers.find(index); found != query.carriers.end()) {
    return found->second;
  }
  Carrier out;
  if (!query.branches.empty()) {
    out = union_carrier(query, index);
  } else {
    const Json item = (*query.syntax)["select_list"][index];
    HalfWidth half_width = query.origin != nullptr
                               ? looked_up(query, index)
                               : of_expression(item, {query, index, query.is_grouped});
    if (half_width.is_known()) {
      out = {add(query, std::move(half_width.expression)), half_width.kind};
    }
  }
  query.carriers[index] = out;
  return out;
}

Carrier Carriage::union_carrier(OuterQuery& query, std::size_t index) {
  std::vector<Carrier> sides;
  IntervalKind kind = IntervalKind::kNone;
  for (OuterQuery* branch : query.branches) {
    sides.push_back(carrier(*branch, index));
    if (!sides.back().is_known()) continue;
    const bool approximate = sides.back().kind == IntervalKind::kApproximate;
    if (approximate || kind == IntervalKind::kNone) kind = sides.back().kind;
  }
  if (kind == IntervalKind::kNone) return {};
  for (std::size_t b = 0; b < sides.size(); ++b) {
    if (!sides[b].is_known()) sides[b].name = add(*query.branches[b], null_constant());
  }
  return {sides.front().name, kind};
}

HalfWidth Carriage::looked_up(const OuterQuery& query, std::size_t index) {
  OuterQuery& origin = *query.origin;
  const Carrier carried = carrier(origin, index);
  if (!carried.is_known() || origin.names.size() != query.names.size()) return {};
  const std::string before = reader_.new_name("origin");
  Json lookup = select_around(*origin.syntax, before);
  written_ += size_of(lookup);
  Json same = Json::array();
  for (std::size_t i = 0; i < query.names.size(); ++i) {
    same.push_back(is_same(qualified_reference(before, origin.names[i]),
                           qualified_reference(query.sources.front().alias, query.names[i])));
  }
  lookup["where_clause"] = all_of(std::move(same));
  lookup["select_list"].push_back(
      function_call("max", Json::array({qualified_reference(before, carried.name)})));
  return {scalar_subquery(std::move(lookup)), carried.kind};
}

HalfWidth Carriage::of_expression(const Json& node, const Place& place) {
  if (written_ > kMostWritten) return {};
  if (const auto whole = of_part(node, place)) return *whole;
  std::vector<Part> parts;
  bool is_understood = true;
  visit_expressions(node, [&](const Json& inner) {
    auto half_width = of_part(inner, place);
    if (!half_width) return true;
    if (!half_width->is_known()) {
      is_understood = is_understood && !has_noise(inner, place);
    } else if (std::ranges::none_of(
                   parts, [&](const Part& part) { return same_syntax(part.node, inner); })) {
      parts.push_back({inner, *std::move(half_width)});
    }
    return false;
  });
  if (parts.empty() || !is_understood) return {};
  const Json plain = without_alias(node);
  Json squares;
  for (const Part& part : parts) {
    if (!afford(plain, part)) return {};
    Json change = square(binary("-", moved(plain, part.node, part.half_width.expression), plain));
    squares =
        squares.is_null() ? std::move(change) : binary("+", std::move(squares), std::move(change));
  }
  return {function_call("sqrt", Json::array({std::move(squares)})), IntervalKind::kApproximate};
}

bool Carriage::has_noise(const Json& node, const Place& place) {
  bool found = false;
  visit_expressions(node, [&](const Json& inner) {
    found = found || (string_of(inner, "class") == "COLUMN_REF" &&
                      of_column(inner, {place.query, place.column, false}).is_known());
    return !found;
  });
  return found;
}

bool Carriage::afford(const Json& node, const Part& part) {
  std::size_t occurrences = 0;
  visit_expressions(node, [&](const Json& inner) {
    if (same_syntax(inner, part.node)) ++occurrences;
    return true;
  });
  written_ += 2 * weight(node) + occurrences * weight(part.half_width.expression);
  return written_ <= kMostWritten;
}

std::optional<HalfWidth> Carriage::of_part(const Json& node, const Place& place) {
  const std::string kind = string_of(node, "class");
  if (kind == "COLUMN_REF") return of_column(node, place);
  if (kind == "SUBQUERY") return of_subquery(node, place);
  if (kind == "WINDOW") return of_window(node, place);
  if (is_aggregate(node)) return of_aggregate(node, {place.query, place.column, false});
  return std::nullopt;
}

HalfWidth Carriage::of_source_column(const Source& source, std::size_t column) {
  if (source.query != nullptr) {
    const Carrier carried = carrier(*source.query, column);
    if (!carried.is_known()) return {};
    return {qualified_reference(source.alias, carried.name), carried.kind};
  }
  if (source.answers == nullptr || column + source.answers->size() < source.names.size()) return {};
  const std::size_t index = column + source.answers->size() - source.names.size();
  return {qualified_reference(source.alias, fmt::format("half_width_{}", index)),
          kind_of((*source.answers)[index])};
}

HalfWidth Carriage::of_column(const Json& node, const Place& place) {
  const Json& names = node.at("column_names");
  const std::string name = names.back().get<std::string>();
  const std::string table = names.size() > 1 ? names[names.size() - 2].get<std::string>() : "";
  for (const Source& source : place.query.sources) {
    if (!table.empty() && !same_name(table, source.alias)) continue;
    const auto column = position_of(source.names, name);
    if (!column) continue;
    HalfWidth out = of_source_column(source, *column);
    if (out.is_known() && place.is_grouped) {  // a key: the same number, from one row or several
      out.expression = function_call("max", Json::array({std::move(out.expression)}));
    }
    return out;
  }
  if (table.empty()) {  // a column of the same SELECT, by its name
    const auto earlier = position_of(place.query.names, name);
    if (earlier && *earlier < place.column) {
      const Json item = (*place.query.syntax)["select_list"][*earlier];
      return of_expression(item, {place.query, *earlier, place.is_grouped});
    }
  }
  if (place.query.parent == nullptr) return {};
  return of_column(node, {*place.query.parent, 0, false});
}

HalfWidth Carriage::of_subquery(const Json& node, const Place& place) {
  if (string_of(node, "subquery_type") != "SCALAR") return {};
  Json& copy = copies_.emplace_back(without_alias(node));
  Json& inner = copy["subquery"]["node"];
  OuterQuery* const query = reader_.read(inner, &place.query, place.query.ctes);
  if (query == nullptr) return {};
  const Carrier carried = carrier(*query, 0);
  if (!carried.is_known()) return {};
  Json out = copy;
  out["subquery"]["node"] = select_from(column_reference(carried.name), copy["subquery"]);
  return {std::move(out), carried.kind};
}

HalfWidth Carriage::of_aggregate(const Json& node, const Place& place) {
  if (const auto simpler = in_simpler_aggregates(node)) return of_expression(*simpler, place);
  std::vector<Json> half_widths;
  IntervalKind kind = IntervalKind::kNone;
  for (const Json& argument : arguments_of(node)) {
    HalfWidth one = of_expression(argument, place);
    if (half_widths.empty()) kind = one.kind;
    half_widths.push_back(one.is_known() ? std::move(one.expression) : Json());
  }
  auto out = noisy_aggregate_half_width(node, half_widths, confidence_);
  if (!out) return {};
  return {*std::move(out), chooses_a_row(node) ? kind : IntervalKind::kApproximate};
}

HalfWidth Carriage::of_window(const Json& node, const Place& place) {
  const auto fallback = node.find("default_expr");
  if (fallback != node.end() && !fallback->is_null()) return {};
  return of_aggregate(node, place);
}

}  // namespace

std::optional<CarriedHalfWidths> carry_half_widths(const QueryPlan& plan,
                                                   const std::vector<bool>& wanted) {
  CarriedHalfWidths out{.statement = plan.query.outer,
                        .kinds = std::vector(wanted.size(), IntervalKind::kNone)};
  Carriage carriage(plan);
  OuterQuery* const query = carriage.read(out.statement);
  if (query == nullptr || query->names.size() != wanted.size()) return std::nullopt;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i]) out.kinds[i] = carriage.carrier(*query, i).kind;
  }
  return out;
}

}  // namespace tacit::sql

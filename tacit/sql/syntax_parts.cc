#include "tacit/sql/syntax_parts_internal.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "tacit/sql/scope_internal.h"

namespace tacit::sql {
namespace {

constexpr std::uint64_t kNoPlace = UINT64_MAX;

Json literal(Json value) {
  return {{"class", "CONSTANT"},
          {"type", "VALUE_CONSTANT"},
          {"alias", ""},
          {"query_location", kNoPlace},
          {"value", std::move(value)}};
}

Json call(const std::string& name, Json arguments, bool is_operator) {
  return {{"class", "FUNCTION"},
          {"type", "FUNCTION"},
          {"alias", ""},
          {"query_location", kNoPlace},
          {"function_name", name},
          {"schema", ""},
          {"children", std::move(arguments)},
          {"filter", nullptr},
          {"order_bys", {{"type", "ORDER_MODIFIER"}, {"orders", Json::array()}}},
          {"distinct", false},
          {"is_operator", is_operator},
          {"export_state", false},
          {"catalog", ""}};
}

Json reference(Json names) {
  return {{"class", "COLUMN_REF"},
          {"type", "COLUMN_REF"},
          {"alias", ""},
          {"query_location", kNoPlace},
          {"column_names", std::move(names)}};
}

Json statement(Json node) {
  return {{"node", std::move(node)}, {"named_param_map", Json::array()}};
}

Json subquery_reference(Json subquery, const std::string& alias) {
  return {{"type", "SUBQUERY"},
          {"alias", alias},
          {"sample", nullptr},
          {"query_location", kNoPlace},
          {"subquery", std::move(subquery)},
          {"column_name_alias", Json::array()}};
}

bool is_plain_distinct(const Json& modifier) {
  return string_of(modifier, "type") == "DISTINCT_MODIFIER" &&
         modifier.value("distinct_on_targets", Json::array()).empty();
}

}  // namespace

Json column_reference(const std::string& name) { return reference(Json::array({name})); }

Json qualified_reference(const std::string& table, const std::string& name) {
  return reference(Json::array({table, name}));
}

Json constant(const std::string& type, Json value) {
  return literal({{"type", {{"id", type}, {"type_info", nullptr}}},
                  {"is_null", false},
                  {"value", std::move(value)}});
}

Json null_constant() {
  return literal({{"type", {{"id", "NULL"}, {"type_info", nullptr}}}, {"is_null", true}});
}

Json function_call(const std::string& name, Json arguments) {
  return call(name, std::move(arguments), false);
}

Json binary(const std::string& sign, Json left, Json right) {
  return call(sign, Json::array({std::move(left), std::move(right)}), true);
}

Json square(Json number) {
  return function_call("pow", Json::array({std::move(number), constant("INTEGER", 2)}));
}

Json without_alias(Json node) {
  node["alias"] = "";
  return node;
}

Json star() {
  return {{"class", "STAR"},
          {"type", "STAR"},
          {"alias", ""},
          {"query_location", kNoPlace},
          {"relation_name", ""},
          {"exclude_list", Json::array()},
          {"replace_list", Json::array()},
          {"columns", false},
          {"expr", nullptr},
          {"qualified_exclude_list", Json::array()},
          {"rename_list", Json::array()}};
}

Json table_reference(const std::string& name) {
  return {{"type", "BASE_TABLE"},
          {"alias", ""},
          {"sample", nullptr},
          {"query_location", kNoPlace},
          {"schema_name", ""},
          {"table_name", name},
          {"column_name_alias", Json::array()},
          {"catalog_name", ""},
          {"at_clause", nullptr}};
}

Json select_node(Json from, Json where) {
  return {{"type", "SELECT_NODE"},
          {"modifiers", Json::array()},
          {"cte_map", {{"map", Json::array()}}},
          {"select_list", Json::array()},
          {"from_table", std::move(from)},
          {"where_clause", std::move(where)},
          {"group_expressions", Json::array()},
          {"group_sets", Json::array()},
          {"aggregate_handling", "STANDARD_HANDLING"},
          {"having", nullptr},
          {"sample", nullptr},
          {"qualify", nullptr}};
}

Json select_from(Json column, Json subquery) {
  Json out = select_node(subquery_reference(std::move(subquery), ""), nullptr);
  out["select_list"].push_back(std::move(column));
  return out;
}

Json select_around(Json node, const std::string& alias) {
  return select_node(subquery_reference(statement(std::move(node)), alias), nullptr);
}

Json scalar_subquery(Json node) {
  return {{"class", "SUBQUERY"},
          {"type", "SUBQUERY"},
          {"alias", ""},
          {"query_location", kNoPlace},
          {"subquery_type", "SCALAR"},
          {"subquery", statement(std::move(node))},
          {"child", nullptr},
          {"comparison_type", "INVALID"}};
}

Json is_same(Json left, Json right) {
  return {{"class", "COMPARISON"},
          {"type", "COMPARE_NOT_DISTINCT_FROM"},
          {"alias", ""},
          {"query_location", kNoPlace},
          {"left", std::move(left)},
          {"right", std::move(right)}};
}

Json all_of(Json conditions) {
  return {{"class", "CONJUNCTION"},
          {"type", "CONJUNCTION_AND"},
          {"alias", ""},
          {"query_location", kNoPlace},
          {"children", std::move(conditions)}};
}

std::string natural_name(const Json& node) {
  if (!string_of(node, "alias").empty()) return string_of(node, "alias");
  const std::string kind = string_of(node, "class");
  if (kind == "COLUMN_REF") return node.at("column_names").back().get<std::string>();
  if (kind == "FUNCTION") {
    std::string name = string_of(node, "function_name");
    if (name == "count_star") return "count";
    if (!node.value("is_operator", false)) return name;
  }
  if (kind == "CAST") return natural_name(node.at("child"));
  return "answer";
}

bool has_modifier(const Json& select, std::string_view type) {
  return std::ranges::any_of(select.at("modifiers"), [&](const Json& modifier) {
    return string_of(modifier, "type") == type;
  });
}

bool is_distinct(const Json& select) {
  return std::ranges::any_of(select.at("modifiers"), is_plain_distinct);
}

void group_by_all(Json& select) {
  Json kept = Json::array();
  for (Json& modifier : select["modifiers"]) {
    if (!is_plain_distinct(modifier)) kept.push_back(std::move(modifier));
  }
  select["modifiers"] = std::move(kept);
  select["aggregate_handling"] = "FORCE_AGGREGATES";
}

bool is_plain_star(const Json& node) {
  const auto is_empty = [&](const char* list) { return node.value(list, Json::array()).empty(); };
  return string_of(node, "class") == "STAR" && !node.value("columns", false) &&
         node.value("expr", Json()).is_null() && is_empty("replace_list") &&
         is_empty("rename_list") && is_empty("qualified_exclude_list");
}

bool contains_star(const Json& node) {
  bool found = false;
  visit_expressions(node, [&](const Json& part) {
    found = found || string_of(part, "class") == "STAR";
    return !found;
  });
  return found;
}

bool excludes(const Json& star, std::string_view name) {
  return std::ranges::any_of(star.at("exclude_list"), [&](const Json& excluded) {
    return excluded.is_string() && same_name(excluded.get<std::string>(), name);
  });
}

bool same_syntax(const Json& a, const Json& b) {
  if (a.type() != b.type()) return a == b;
  if (a.is_array()) return std::ranges::equal(a, b, same_syntax);
  if (!a.is_object()) return a == b;
  if (string_of(a, "class") == "COLUMN_REF" && string_of(b, "class") == "COLUMN_REF") {
    return std::ranges::equal(a.at("column_names"), b.at("column_names"),
                              [](const Json& x, const Json& y) {
                                return same_name(x.get<std::string>(), y.get<std::string>());
                              });
  }
  if (a.size() != b.size()) return false;
  for (const auto& [key, value] : a.items()) {
    if (key == "query_location" || key == "alias") continue;
    const auto other = b.find(key);
    if (other == b.end() || !same_syntax(value, *other)) return false;
  }
  return true;
}

}  // namespace tacit::sql

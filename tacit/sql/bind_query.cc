// Query nodes: which SELECT is rows, which is a release, which is done with released values.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tacit/sql/bind.h"
#include "tacit/sql/binder_internal.h"
#include "tacit/sql/lateral_names_internal.h"
#include "tacit/sql/syntax_parts_internal.h"

namespace tacit::sql {
namespace {

bool is_grouped(const Json& node) {
  return !node.at("group_expressions").empty() || contains_aggregate(node.at("select_list")) ||
         contains_aggregate(node.at("having")) || node.at("having").is_object() ||
         has_modifier(node, "DISTINCT_MODIFIER") ||
         string_of(node, "aggregate_handling") == "FORCE_AGGREGATES";
}

Result<void> check_no_qualify(const Json& node, const QueryText& text) {
  if (!node.at("qualify").is_object()) return {};
  return text.refuse(node.at("qualify"), "QUALIFY over private rows",
                     "use windows over released columns in an outer SELECT");
}

// The public tables that an outer SELECT reads. (One that a CTE of the same name hides is noted for
// nothing.)
void note_public_tables(const Json& node, const Schema& schema,
                        std::vector<const TableSchema*>& out) {
  if (!node.is_structured()) return;
  if (node.is_object() && string_of(node, "type") == "BASE_TABLE") {
    const TableSchema* table = schema.find(string_of(node, "table_name"));
    if (table != nullptr && table->unit.kind == Unit::Kind::kPublic &&
        std::ranges::find(out, table) == out.end()) {
      out.push_back(table);
    }
  }
  for (const auto& child : node) note_public_tables(child, schema, out);
}

}  // namespace

Result<BoundQuery> bind(const QueryText& text, const Schema& schema, Engine& parser) {
  TACIT_ASSIGN_OR_RETURN(const Json statement, parse_select(parser, text));
  return Binder(schema, text).bind(statement);
}

Result<BoundQuery> Binder::bind(const Json& statement) {
  TACIT_ASSIGN_OR_RETURN(BoundNode bound, bind_node(statement.at("node"), {}));
  if (!bound.is_outer()) {
    const Json& node = statement.at("node");
    const bool plain = string_of(node, "type") == "SELECT_NODE";
    return text_.refuse(
        plain ? node.at("select_list").at(0) : node,
        "this would release columns of private rows as they are",
        "ask for aggregates: COUNT, SUM, AVG, ...; group keys may stand beside them");
  }
  query_.outer = statement;
  query_.outer["node"] = std::move(bound.outer);
  if (const Json* const part = overlong_part(query_.outer)) {
    return text_.refuse(
        *part,
        fmt::format("names of columns stand for more than {} expressions here, when "
                    "they are written out",
                    kMostExpressions),
        "compute the columns that are named in a subquery");
  }
  note_public_tables(query_.outer, schema_, query_.public_tables);
  return std::move(query_);
}

Result<BoundNode> Binder::bind_node(const Json& original, const Ctes& outer_ctes) {
  Json node = original;
  const std::string type = string_of(node, "type");
  if (type != "SELECT_NODE" && type != "SET_OPERATION_NODE") {
    return text_.refuse(node, "this kind of query is not on the list (recursive CTEs are not)",
                        "use SELECT, UNION ALL and plain CTEs");
  }
  TACIT_ASSIGN_OR_RETURN(const Ctes ctes, bind_ctes(node, outer_ctes));
  if (type == "SET_OPERATION_NODE") return bind_set_operation(std::move(node), ctes);
  return bind_select(std::move(node), ctes);
}

Result<Ctes> Binder::bind_ctes(Json& node, const Ctes& outer_ctes) {
  Ctes ctes = outer_ctes;
  Json kept = Json::array();
  for (Json entry : node.at("cte_map").at("map")) {
    const std::string name = lower_name(entry.at("key").get<std::string>());
    if (name.starts_with("released_")) {
      return bad_input("the name " + name + " is taken by the released tables", "WITH",
                       "give the subquery another name");
    }
    TACIT_ASSIGN_OR_RETURN(BoundNode bound,
                           bind_node(entry.at("value").at("query").at("node"), ctes));
    if (!entry.at("value").at("aliases").empty() && bound.rows) {
      std::vector<std::string> names;
      std::vector<ExpressionPtr> columns;
      Scope scope;
      scope.add(*bound.rows, "");
      const Json& aliases = entry["value"]["aliases"];
      for (const VisibleColumn& visible : scope.names) {
        columns.push_back(scope.column(visible.column));
        names.push_back(names.size() < aliases.size() ? aliases[names.size()].get<std::string>()
                                                      : visible.name);
      }
      bound.rows = project(bound.rows, std::move(columns), std::move(names));
    }
    if (bound.is_outer()) {
      entry["value"]["query"]["node"] = bound.outer;
      kept.push_back(std::move(entry));
    }
    ctes[name] = std::move(bound);
  }
  node["cte_map"]["map"] = std::move(kept);
  return ctes;
}

Result<BoundNode> Binder::bind_select(Json node, const Ctes& ctes) {
  if (node.contains("sample") && !node["sample"].is_null()) {
    return text_.refuse(node, "SAMPLE draws anew each time", "leave it out");
  }
  TACIT_ASSIGN_OR_RETURN(From from, bind_from(node.at("from_table"), ctes));
  const bool any_private =
      from.rows && std::ranges::any_of(from.rows->inputs, [](const Block::Input& input) {
        return input.relation->is_private() || input.pending();
      });
  if (!any_private) {
    TACIT_ASSIGN_OR_RETURN(BoundNode out, select_outer(node, from.outer, ctes));
    if (from.rows && !is_grouped(node) && node.at("modifiers").empty() &&
        check_no_qualify(node, text_)) {
      // Public rows may also be joined with private ones; where they cannot be bound as rows, they
      // are only good for an outer SELECT.
      const Scope scope = from.rows->scope;
      const std::size_t bound = query_.aggregations.size();
      if (auto rows = bind_where(node, *from.rows, ctes)) {
        if (auto selected = select_rows(node, *std::move(rows), scope)) {
          out.rows = selected->rows;
        }
      }
      query_.aggregations.resize(bound);  // what subqueries of rows that came to nothing asked for
    }
    return out;
  }
  Scope scope = from.rows->scope;
  TACIT_ASSIGN_OR_RETURN(RelationPtr input, bind_where(node, *std::move(from.rows), ctes));
  scope.columns = input->columns();
  if (!is_grouped(node)) {
    if (!node.at("modifiers").empty()) {
      return text_.refuse(node.at("select_list").at(0), "ORDER BY or LIMIT over private rows",
                          "order the answer instead");
    }
    TACIT_RETURN_IF_ERROR(check_no_qualify(node, text_));
    return select_rows(node, std::move(input), scope);
  }
  TACIT_ASSIGN_OR_RETURN(Grouping grouping, group(node, input, scope));
  if (const auto unit = unit_among(*input, grouping.keys)) {
    TACIT_RETURN_IF_ERROR(check_no_qualify(node, text_));
    return select_units(node, grouping, *unit);
  }
  return select_aggregates(std::move(node), grouping, ctes);
}

Result<BoundNode> Binder::select_rows(const Json& node, RelationPtr input, const Scope& scope) {
  std::vector<ExpressionPtr> columns;
  std::vector<std::string> names;
  for (const Json& item : node.at("select_list")) {
    if (string_of(item, "class") == "STAR") {
      if (!is_plain_star(item) || !item.value("exclude_list", Json::array()).empty()) {
        return text_.refuse(item, "a star that leaves out, changes or chooses columns",
                            "name the columns");
      }
      const std::string table = string_of(item, "relation_name");
      for (const VisibleColumn& visible : scope.names) {
        if (!table.empty() && !same_name(visible.table, table)) continue;
        columns.push_back(scope.column(visible.column));
        names.push_back(visible.name);
      }
      continue;
    }
    TACIT_ASSIGN_OR_RETURN(auto column, bind_expression(item, scope, text_));
    columns.push_back(std::move(column));
    names.push_back(natural_name(item));
  }
  return BoundNode{.rows = project(std::move(input), std::move(columns), std::move(names))};
}

Result<BoundNode> Binder::select_outer(Json node, Json from, const Ctes& ctes) {
  node["from_table"] = std::move(from);
  for (const char* part :
       {"select_list", "modifiers", "where_clause", "group_expressions", "having", "qualify"}) {
    TACIT_RETURN_IF_ERROR(bind_outer_expression(node[part], ctes));
  }
  return BoundNode{.outer = std::move(node)};
}

Result<void> Binder::bind_outer_expression(Json& node, const Ctes& ctes) {
  if (node.is_array()) {
    for (Json& child : node) TACIT_RETURN_IF_ERROR(bind_outer_expression(child, ctes));
    return {};
  }
  if (!node.is_object()) return {};
  if (string_of(node, "class") == "SUBQUERY") {
    TACIT_ASSIGN_OR_RETURN(BoundNode bound, bind_node(node.at("subquery").at("node"), ctes));
    if (!bound.is_outer()) {
      return text_.refuse(node, "a subquery that would show private rows as they are",
                          "aggregate inside it");
    }
    node["subquery"]["node"] = std::move(bound.outer);
  }
  for (auto& [key, child] : node.items()) {
    if (key == "subquery" || !child.is_structured()) continue;
    TACIT_RETURN_IF_ERROR(bind_outer_expression(child, ctes));
  }
  return {};
}

}  // namespace tacit::sql

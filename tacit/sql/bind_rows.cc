// FROM and WHERE.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tacit/sql/binder_internal.h"
#include "tacit/sql/syntax_parts_internal.h"

namespace tacit::sql {
namespace {

std::string table_names(const Schema& schema) {
  std::string out;
  for (const TableSchema& table : schema.tables) out += (out.empty() ? "" : ", ") + table.name;
  return out;
}

// a.x = b.x AND ... for USING (x, ...), as syntax.
Json using_condition(const Json& columns, const Scope& left, const Scope& right) {
  Json children = Json::array();
  for (const Json& column : columns) {
    const auto side = [&](const Scope& scope) {
      const auto found = std::ranges::find_if(scope.names, [&](const VisibleColumn& visible) {
        return same_name(visible.name, column.get<std::string>());
      });
      Json reference = column_reference(column.get<std::string>());
      if (found != scope.names.end() && !found->table.empty()) {
        reference["column_names"] = Json::array({found->table, found->name});
      }
      return reference;
    };
    children.push_back(Json{{"class", "COMPARISON"},
                            {"type", "COMPARE_EQUAL"},
                            {"alias", ""},
                            {"left", side(left)},
                            {"right", side(right)}});
  }
  if (children.size() == 1) return children.front();
  return {{"class", "CONJUNCTION"},
          {"type", "CONJUNCTION_AND"},
          {"alias", ""},
          {"children", std::move(children)}};
}

// After USING a bare name means the left one.
void hide_right_names(Scope& scope, const Json& columns, std::size_t right_begins) {
  std::erase_if(scope.names, [&](const VisibleColumn& visible) {
    return visible.column >= right_begins && std::ranges::any_of(columns, [&](const Json& column) {
             return same_name(visible.name, column.get<std::string>());
           });
  });
}

// The relation under the names that an alias list gives.
RelationPtr renamed(const RelationPtr& rows, const Json& aliases) {
  if (aliases.empty()) return rows;
  std::vector<ExpressionPtr> columns;
  std::vector<std::string> names;
  Scope scope;
  scope.add(*rows, "");
  for (std::size_t c = 0; c < rows->columns().size(); ++c) {
    if (rows->columns()[c].name.empty()) continue;
    columns.push_back(scope.column(c));
    names.push_back(names.size() < aliases.size() ? aliases[names.size()].get<std::string>()
                                                  : rows->columns()[c].name);
  }
  return project(rows, std::move(columns), std::move(names));
}

bool is_subquery(const Json& node, const char* kind) {
  return string_of(node, "class") == "SUBQUERY" && string_of(node, "subquery_type") == kind;
}

bool reads_only_right(const Expression& condition, std::size_t left_width) {
  return std::ranges::all_of(columns_of(condition),
                             [&](std::size_t column) { return column >= left_width; });
}

}  // namespace

std::vector<Json> conjuncts(const Json& condition) {
  if (!condition.is_object()) return {};
  if (string_of(condition, "type") != "CONJUNCTION_AND") return {condition};
  std::vector<Json> out;
  for (const Json& child : condition.at("children")) {
    for (Json& part : conjuncts(child)) out.push_back(std::move(part));
  }
  return out;
}

Result<Binder::From> Binder::bind_from(const Json& from, const Ctes& ctes) {
  const std::string type = string_of(from, "type");
  if (from.contains("sample") && !from["sample"].is_null()) {
    return text_.refuse(from, "TABLESAMPLE draws anew each time", "leave it out");
  }
  if (type == "BASE_TABLE") return bind_table(from, ctes);
  if (type == "SUBQUERY") return bind_derived(from, ctes);
  if (type == "JOIN") return bind_join(from, ctes);
  if (type == "EMPTY") return From{.outer = from};
  if (type == "TABLE_FUNCTION") {
    return text_.refuse(from,
                        "a function in FROM (files, settings and the catalog are out of reach)",
                        "the tables are: " + table_names(schema_));
  }
  return text_.refuse(from, "this cannot stand in FROM", "name a table, a subquery or a join");
}

Result<Binder::From> Binder::bind_table(const Json& from, const Ctes& ctes) {
  const std::string name = string_of(from, "table_name");
  const std::string alias = string_of(from, "alias").empty() ? name : string_of(from, "alias");
  const bool plain =
      string_of(from, "schema_name").empty() && string_of(from, "catalog_name").empty();
  if (const auto cte = ctes.find(lower_name(name)); plain && cte != ctes.end()) {
    From out{.outer = cte->second.is_outer() ? from : Json()};
    if (cte->second.rows) {
      Block block;
      block.add(renamed(cte->second.rows, from.at("column_name_alias")), alias, nullptr);
      out.rows = std::move(block);
    }
    return out;
  }
  const TableSchema* table = plain ? schema_.find(name) : nullptr;
  if (table == nullptr) {
    return text_.refuse(from, "there is no table " + name,
                        "the tables are: " + table_names(schema_));
  }
  Block block;
  const Json& aliases = from.at("column_name_alias");
  RelationPtr rows = renamed(scan(*table), aliases);
  block.add(std::move(rows), alias, aliases.empty() ? table : nullptr);
  if (!aliases.empty() && table->unit.kind == Unit::Kind::kPath) {
    return text_.refuse(from, "new column names for a table whose unit is behind a path",
                        "rename the columns in a subquery");
  }
  From out{.rows = std::move(block)};
  if (table->unit.kind == Unit::Kind::kPublic) out.outer = from;
  return out;
}

Result<Binder::From> Binder::bind_derived(const Json& from, const Ctes& ctes) {
  TACIT_ASSIGN_OR_RETURN(BoundNode bound, bind_node(from.at("subquery").at("node"), ctes));
  From out;
  if (bound.rows) {
    Block block;
    block.add(renamed(bound.rows, from.at("column_name_alias")), string_of(from, "alias"), nullptr);
    out.rows = std::move(block);
  }
  if (bound.is_outer()) {
    out.outer = from;
    out.outer["subquery"]["node"] = std::move(bound.outer);
  }
  return out;
}

Result<Binder::From> Binder::bind_join(const Json& from, const Ctes& ctes) {
  TACIT_ASSIGN_OR_RETURN(From left, bind_from(from.at("left"), ctes));
  TACIT_ASSIGN_OR_RETURN(From right, bind_from(from.at("right"), ctes));
  From out;
  if (left.rows && right.rows) {
    TACIT_ASSIGN_OR_RETURN(out, join_rows(from, *std::move(left.rows), *std::move(right.rows)));
  }
  if (left.is_outer() && right.is_outer()) {
    Json outer = from;
    outer["left"] = std::move(left.outer);
    outer["right"] = std::move(right.outer);
    TACIT_RETURN_IF_ERROR(bind_outer_expression(outer["condition"], ctes));
    out.outer = std::move(outer);
  }
  if (!out.rows && !out.is_outer()) {
    return text_.refuse(from, "this joins an answer with private rows",
                        "ask in two steps: the answer first, then a query that uses its numbers");
  }
  return out;
}

Result<Binder::From> Binder::join_rows(const Json& from, Block left, Block right) {
  const std::string kind = string_of(from, "join_type");
  const std::string style = string_of(from, "ref_type");
  if (style != "REGULAR" && style != "CROSS") {
    return text_.refuse(from, "this kind of join is not on the list", "use JOIN ... ON");
  }
  if (kind == "RIGHT") std::swap(left, right);
  if (kind != "INNER" && kind != "LEFT" && kind != "RIGHT") {
    return text_.refuse(from, kind + " JOIN over private rows", "use an inner or a left join");
  }
  const std::size_t right_begins = left.scope.columns.size();
  Json condition = from.at("condition");
  const Json& shared = from.at("using_columns");
  if (!shared.empty()) condition = using_condition(shared, left.scope, right.scope);
  Block both = left;
  both.add(right);
  std::vector<ExpressionPtr> bound;
  for (const Json& part : conjuncts(condition)) {
    TACIT_ASSIGN_OR_RETURN(auto expression, bind_condition(part, both.scope, text_));
    for (auto& piece : conjuncts(expression)) bound.push_back(std::move(piece));
  }
  if (kind == "INNER") {
    both.conditions.insert(both.conditions.end(), bound.begin(), bound.end());
  } else {
    if (bound.empty()) return text_.refuse(from, "an outer join needs a condition", "write ON ...");
    const auto whole =
        bound.size() == 1 ? bound.front() : make_call(Function::kAnd, bound, kBooleanType);
    TACIT_ASSIGN_OR_RETURN(auto joined, settle_left_join(left, right, whole, schema_, from, text_));
    Block out;
    const Scope names = both.scope;
    out.inputs.push_back({joined, 0, nullptr});
    out.scope.columns = joined->columns();
    out.scope.names = names.names;
    both = std::move(out);
  }
  if (!shared.empty()) hide_right_names(both.scope, shared, right_begins);
  return From{.rows = std::move(both)};
}

Result<RelationPtr> Binder::bind_where(const Json& node, Block block, const Ctes& ctes) {
  std::vector<std::pair<Json, bool>> semi_joins;
  for (const Json& part : conjuncts(node.at("where_clause"))) {
    const bool negated = string_of(part, "type") == "OPERATOR_NOT";
    const Json& inner = negated ? part.at("children").at(0) : part;
    if (is_subquery(inner, "EXISTS") || is_subquery(inner, "ANY") ||
        is_subquery(inner, "NOT_EXISTS")) {
      semi_joins.emplace_back(inner, negated != is_subquery(inner, "NOT_EXISTS"));
      continue;
    }
    TACIT_ASSIGN_OR_RETURN(auto condition, bind_condition(part, block.scope, text_));
    for (auto& piece : conjuncts(condition)) block.conditions.push_back(std::move(piece));
  }
  TACIT_ASSIGN_OR_RETURN(auto rows, settle(block, schema_, node.at("from_table"), text_));
  for (const auto& [condition, anti] : semi_joins) {
    TACIT_ASSIGN_OR_RETURN(rows, bind_semi_join(condition, anti, rows, block, ctes));
  }
  return rows;
}

Result<RelationPtr> Binder::bind_semi_join(const Json& condition, bool anti,
                                           const RelationPtr& left, const Block& left_block,
                                           const Ctes& ctes) {
  const Json& select = condition.at("subquery").at("node");
  if (string_of(select, "type") != "SELECT_NODE" || !select.at("group_expressions").empty() ||
      contains_aggregate(select.at("select_list")) || !select.at("cte_map").at("map").empty() ||
      select.at("having").is_object() || select.at("qualify").is_object() ||
      (select.contains("sample") && !select["sample"].is_null())) {
    return text_.refuse(condition, "a subquery of this kind inside WHERE",
                        "IN and EXISTS take a plain SELECT ... FROM ... WHERE");
  }
  for (const Json& modifier : select.at("modifiers")) {
    if (string_of(modifier, "type") == "LIMIT_MODIFIER") {
      return text_.refuse(condition, "LIMIT inside IN or EXISTS", "leave it out");
    }
  }
  TACIT_ASSIGN_OR_RETURN(From from, bind_from(select.at("from_table"), ctes));
  if (!from.rows) {
    return text_.refuse(condition, "private rows compared with an answer inside one query",
                        "ask in two steps: the answer first, then a query that uses its numbers");
  }
  Block right = *std::move(from.rows);
  // Names inside the subquery hide those outside.
  Scope both;
  both.columns = left->columns();
  const std::size_t width = both.columns.size();
  Scope inner;
  inner.add(right.scope);
  both.add(right.scope);
  for (const VisibleColumn& visible : left_block.scope.names) {
    const bool hidden = std::ranges::any_of(right.scope.names, [&](const VisibleColumn& other) {
      return same_name(other.name, visible.name) &&
             (other.table == visible.table || !inner.has_table(visible.table));
    });
    if (!hidden || !inner.has_table(visible.table)) both.names.push_back(visible);
  }
  std::vector<ExpressionPtr> conditions;
  const auto take = [&](const ExpressionPtr& bound) {
    for (ExpressionPtr& piece : conjuncts(bound)) conditions.push_back(std::move(piece));
  };
  for (const Json& part : conjuncts(select.at("where_clause"))) {
    // A bare name means the inner column where there is one.
    auto bound = bind_condition(part, inner, text_);
    if (bound) {
      right.conditions.push_back(*std::move(bound));
      continue;
    }
    TACIT_ASSIGN_OR_RETURN(auto correlated, bind_condition(part, both, text_));
    take(correlated);
  }
  if (is_subquery(condition, "ANY")) {
    if (select.at("select_list").size() != 1 ||
        string_of(condition, "comparison_type") != "COMPARE_EQUAL") {
      return text_.refuse(condition, "IN takes a subquery of one column", "use EXISTS");
    }
    TACIT_ASSIGN_OR_RETURN(auto inside,
                           bind_expression(select.at("select_list").at(0), inner, text_));
    Scope outside;
    outside.columns = left->columns();
    outside.names = left_block.scope.names;
    TACIT_ASSIGN_OR_RETURN(auto value, bind_expression(condition.at("child"), outside, text_));
    const auto column = as_column(*inside);
    const bool on_unit = column && right.inputs.size() == 1 &&
                         right.inputs.front().relation->unit() == std::vector{*column};
    if (anti && !on_unit) {
      return text_.refuse(condition, "NOT IN is unknown for every row as soon as one value is NULL",
                          "write NOT EXISTS");
    }
    std::vector<ExpressionPtr> moved;
    for (std::size_t c = 0; c < inner.columns.size(); ++c) moved.push_back(both.column(width + c));
    auto right_value = substitute(inside, moved);
    const auto type = common_type({value, right_value});
    if (!type) return text_.refuse(condition, "IN compares different types", "use CAST");
    take(make_call(Function::kEqual, {coerce(value, *type), coerce(right_value, *type)},
                   kBooleanType));
  }
  std::erase_if(conditions, [&](const ExpressionPtr& piece) {
    return reads_only_right(*piece, width) && columns_of(*piece).empty();
  });
  if (conditions.empty()) {
    return text_.refuse(condition, "EXISTS that does not depend on the row",
                        "compare a column of the subquery with one outside");
  }
  return settle_semi_join(left, left_block, right, std::move(conditions), anti, schema_, condition,
                          text_);
}

}  // namespace tacit::sql

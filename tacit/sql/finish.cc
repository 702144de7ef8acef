// What is left of the query, over released numbers.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "tacit/sql/binder_internal.h"
#include "tacit/sql/outer_columns_internal.h"
#include "tacit/sql/release.h"
#include "tacit/sql/released_table_internal.h"

namespace tacit::sql {
namespace {

constexpr std::string_view kHalfWidth = "tacit_half_width_";

Json function_call(const std::string& name, Json children, bool is_operator) {
  return {{"class", "FUNCTION"},
          {"type", "FUNCTION"},
          {"alias", ""},
          {"query_location", UINT64_MAX},
          {"function_name", name},
          {"schema", ""},
          {"children", std::move(children)},
          {"filter", nullptr},
          {"order_bys", {{"type", "ORDER_MODIFIER"}, {"orders", Json::array()}}},
          {"distinct", false},
          {"is_operator", is_operator},
          {"export_state", false},
          {"catalog", ""}};
}

Json null_constant() {
  return {{"class", "CONSTANT"},
          {"type", "VALUE_CONSTANT"},
          {"alias", ""},
          {"query_location", UINT64_MAX},
          {"value", {{"type", {{"id", "NULL"}, {"type_info", nullptr}}}, {"is_null", true}}}};
}

// The number of value_J where `node` is a reference to it.
std::optional<std::size_t> value_index(const Json& node) {
  if (string_of(node, "class") != "COLUMN_REF") return std::nullopt;
  const std::string name = node.at("column_names").back().get<std::string>();
  constexpr std::string_view kValue = "value_";
  if (!name.starts_with(kValue)) return std::nullopt;
  std::size_t index = 0;
  const char* const end = name.data() + name.size();
  const auto read = std::from_chars(name.data() + kValue.size(), end, index);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;  // an alias of the query's
  return index;
}

std::vector<std::size_t> values_in(const Json& node) {
  std::vector<std::size_t> out;
  visit_expressions(node, [&](const Json& part) {
    if (const auto index = value_index(part);
        index && std::ranges::find(out, *index) == out.end()) {
      out.push_back(*index);
    }
    return true;
  });
  return out;
}

Json half_width_reference(std::size_t index) {
  return column_reference(fmt::format("half_width_{}", index));
}

// The expression with value_J moved by its half-width.
Json moved(const Json& node, std::size_t index) {
  if (value_index(node) == index) {
    return function_call("+",
                         Json::array({column_reference(fmt::format("value_{}", index)),
                                      half_width_reference(index)}),
                         true);
  }
  Json out = node;
  if (!out.is_structured()) return out;
  for (auto& child : out) {
    if (child.is_structured()) child = moved(child, index);
  }
  return out;
}

// A column's half-width, as an expression beside it: that of the number where it is nothing but
// one; otherwise the root of the sum of the squared changes that each number's half-width makes
// (the delta method, with the change itself for the slope).
struct HalfWidth {
  Json expression;
  IntervalKind kind = IntervalKind::kNone;
};

HalfWidth half_width_of(const Json& item, const std::vector<AnswerPlan>& answers) {
  const auto values = values_in(item);
  if (values.empty() || contains_window(item) || contains_aggregate(item)) {
    return {null_constant(), IntervalKind::kNone};
  }
  if (const auto index = value_index(item); index && *index < answers.size()) {
    const AggregateKind kind = answers[*index].kind;
    const bool exact = kind == AggregateKind::kCount || kind == AggregateKind::kCountDistinct ||
                       kind == AggregateKind::kCountUnits || kind == AggregateKind::kSum;
    return {half_width_reference(*index),
            exact ? IntervalKind::kExact : IntervalKind::kApproximate};
  }
  Json squares;
  for (const std::size_t index : values) {
    Json plain = item;
    plain["alias"] = "";
    Json change = function_call("-", Json::array({moved(plain, index), plain}), true);
    Json square = function_call("*", Json::array({change, change}), true);
    squares = squares.is_null()
                  ? std::move(square)
                  : function_call("+", Json::array({std::move(squares), std::move(square)}), true);
  }
  Json root = function_call("sqrt", Json::array({std::move(squares)}), false);
  return {std::move(root), IntervalKind::kApproximate};
}

// The release that a SELECT reads, where it reads nothing else.
std::optional<std::size_t> release_of(const Json& node) {
  if (string_of(node, "type") != "SELECT_NODE") return std::nullopt;
  const Json& from = node.at("from_table");
  const std::string name = string_of(from, "table_name");
  if (string_of(from, "type") != "BASE_TABLE" || !name.starts_with("released_"))
    return std::nullopt;
  return std::stoul(name.substr(9));
}

bool is_distinct(const Json& node) {
  return std::ranges::any_of(node.at("modifiers"), [](const Json& modifier) {
    return string_of(modifier, "type") == "DISTINCT_MODIFIER";
  });
}

Result<Answer> split(Table table, const std::vector<IntervalKind>& kinds, double confidence) {
  Answer out{.confidence = confidence};
  const std::size_t columns = table.columns.size() - kinds.size();
  for (std::size_t i = 0; i < columns; ++i) {
    AnswerColumn column{.field = table.fields[i], .values = std::move(table.columns[i])};
    if (i < kinds.size() && kinds[i] != IntervalKind::kNone) {
      column.interval = kinds[i];
      column.half_widths = std::move(table.columns[columns + i]);
    }
    out.columns.push_back(std::move(column));
  }
  return out;
}

// Puts a table into the embedded engine, in place of an earlier one of that name.
Result<void> put(Engine& embedded, const std::string& name, const Table& table) {
  TACIT_RETURN_IF_ERROR(
      embedded.execute("DROP TABLE IF EXISTS " + embedded.dialect().identifier(name)));
  return embedded.load(name, table);
}

// The outer SELECT as it runs, with the half-width of each column beside it.
struct OuterSelect {
  Json tree;
  std::vector<IntervalKind> kinds;
};

// Which columns of the outer SELECT are numbers: only those have half-widths.
Result<std::vector<bool>> numbers_of(const QueryPlan& plan, Engine& embedded) {
  TACIT_ASSIGN_OR_RETURN(const std::string sql, to_text(embedded, plan.query.outer));
  TACIT_ASSIGN_OR_RETURN(const Table shape,
                         embedded.query(fmt::format("SELECT * FROM ({}) AS shape LIMIT 0", sql)));
  std::vector<bool> out;
  for (const Field& field : shape.fields) out.push_back(field.type.is_number());
  return out;
}

OuterSelect with_half_widths(const QueryPlan& plan, const std::vector<bool>& numbers) {
  OuterSelect out{.tree = plan.query.outer};
  Json& node = out.tree["node"];
  const auto index = release_of(node);
  const Json items = node["select_list"];
  if (!index || is_distinct(node) || items.size() != numbers.size()) return out;
  for (std::size_t i = 0; i < items.size(); ++i) {
    HalfWidth half_width = half_width_of(items[i], plan.aggregations[*index].answers);
    if (!numbers[i]) half_width = {null_constant(), IntervalKind::kNone};
    half_width.expression["alias"] = fmt::format("{}{}", kHalfWidth, i);
    node["select_list"].push_back(std::move(half_width.expression));
    out.kinds.push_back(half_width.kind);
  }
  return out;
}

// Over released numbers and public tables: what the engine says of a failure depends on no private
// row, and may be told.
Result<Answer> run_outer(const QueryPlan& plan, Engine& embedded, const char* remedy) {
  const auto fails = [&] {
    return bad_input(
        "the part of the query over released columns fails: " + embedded.steward_detail(),
        "the query", remedy);
  };
  const auto numbers = numbers_of(plan, embedded);
  if (!numbers) return fails();
  const OuterSelect outer = with_half_widths(plan, *numbers);
  TACIT_ASSIGN_OR_RETURN(const std::string sql, to_text(embedded, outer.tree));
  auto table = embedded.query(sql);
  if (!table) return fails();
  return split(*std::move(table), outer.kinds, plan.options.confidence);
}

Table empty_table(const std::vector<Column>& columns) {
  Table out;
  for (const Column& column : columns) out.fields.push_back({column.name, column.type});
  out.columns.resize(out.fields.size());
  return out;
}

Result<Table> rows_of(const TableSchema& table, const std::vector<Column>& columns,
                      Engine& engine) {
  std::vector<std::string> names;
  for (const Column& column : columns) {
    names.push_back(engine.dialect().identifier(column.name));
  }
  return engine.query(
      fmt::format("SELECT {} FROM {} AS public_rows", fmt::join(names, ", "), table.source));
}

}  // namespace

Result<void> check_outer(const QueryPlan& plan, Engine& embedded) {
  for (std::size_t i = 0; i < plan.aggregations.size(); ++i) {
    const AggregationPlan& one = plan.aggregations[i];
    const Table none = released_table(plan.query.aggregations[i], one, {},
                                      std::vector<NoisyMeasure>(one.measures.size()),
                                      NoisyQuantiles(one.quantiles.size()));
    TACIT_RETURN_IF_ERROR(put(embedded, fmt::format("released_{}", i), none));
  }
  for (const TableSchema* table : plan.query.public_tables) {
    TACIT_RETURN_IF_ERROR(
        put(embedded, table->name, empty_table(columns_read(plan.query.outer, *table))));
  }
  TACIT_RETURN_IF_ERROR(run_outer(plan, embedded, "nothing was charged"));
  return {};
}

Result<Answer> finish(const QueryPlan& plan, const std::vector<Table>& released, Engine& engine,
                      Engine& embedded) {
  for (std::size_t i = 0; i < released.size(); ++i) {
    TACIT_RETURN_IF_ERROR(put(embedded, fmt::format("released_{}", i), released[i]));
  }
  for (const TableSchema* table : plan.query.public_tables) {
    TACIT_ASSIGN_OR_RETURN(const Table rows,
                           rows_of(*table, columns_read(plan.query.outer, *table), engine));
    TACIT_RETURN_IF_ERROR(put(embedded, table->name, rows));
  }
  return run_outer(plan, embedded, "the release is on record; ask again with another outer part");
}

}  // namespace tacit::sql

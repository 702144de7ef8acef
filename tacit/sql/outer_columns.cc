#include <algorithm>
#include <iterator>
#include <string>

#include "tacit/sql/binder_internal.h"
#include "tacit/sql/outer_columns_internal.h"
#include "tacit/sql/scope_internal.h"

namespace tacit::sql {
namespace {

bool holds_name(const Json& names, const std::string& name) {
  return std::ranges::any_of(names, [&](const Json& one) {
    return one.is_string() && same_name(one.get<std::string>(), name);
  });
}

// The names that stand for whole rows: of tables and their aliases.
void note_row_names(const Json& node, std::vector<std::string>& out) {
  if (!node.is_structured()) return;
  if (string_of(node, "type") == "BASE_TABLE") {
    out.push_back(string_of(node, "table_name"));
    out.push_back(string_of(node, "alias"));
  }
  for (const Json& child : node) note_row_names(child, out);
}

// Whether the tree reaches columns by something else than their names: a star, a position, a
// natural join, names given anew, or a row as a whole.
bool reaches_unnamed(const Json& node, const std::vector<std::string>& rows) {
  if (!node.is_structured()) return false;
  const std::string kind = string_of(node, "class");
  if (kind == "STAR" || kind == "POSITIONAL_REFERENCE") return true;
  if (string_of(node, "ref_type") == "NATURAL") return true;
  if (kind == "COLUMN_REF") {
    const Json& names = node.at("column_names");
    return names.size() == 1 &&
           std::ranges::any_of(rows, [&](const auto& row) { return holds_name(names, row); });
  }
  if (string_of(node, "type") == "BASE_TABLE" && !node.at("column_name_alias").empty()) return true;
  return std::ranges::any_of(node, [&](const Json& child) { return reaches_unnamed(child, rows); });
}

bool names_column(const Json& node, const std::string& column) {
  if (!node.is_structured()) return false;
  if (node.is_object()) {
    if (string_of(node, "class") == "COLUMN_REF") {
      return holds_name(node.at("column_names"), column);
    }
    const auto shared = node.find("using_columns");
    if (shared != node.end() && holds_name(*shared, column)) return true;
  }
  return std::ranges::any_of(node, [&](const Json& child) { return names_column(child, column); });
}

}  // namespace

std::vector<Column> columns_read(const Json& outer, const TableSchema& table) {
  std::vector<std::string> rows;
  note_row_names(outer, rows);
  if (reaches_unnamed(outer, rows)) return table.columns;
  std::vector<Column> out;
  std::ranges::copy_if(table.columns, std::back_inserter(out),
                       [&](const Column& column) { return names_column(outer, column.name); });
  // A table of no columns cannot be copied; its rows may still be counted or joined.
  return out.empty() ? table.columns : out;
}

}  // namespace tacit::sql

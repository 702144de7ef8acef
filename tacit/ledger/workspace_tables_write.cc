#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tacit/ledger/workspace_tables_internal.h"

namespace tacit {
namespace {

std::string quoted_names(const std::vector<std::string>& names) {
  std::vector<std::string> quoted;
  for (const std::string& name : names) quoted.push_back(toml_string(name));
  return quoted.size() == 1 ? quoted.front() : fmt::format("[{}]", fmt::join(quoted, ", "));
}

std::string unit_line(const DeclaredUnit& unit) {
  switch (unit.kind) {
    case DeclaredUnit::Kind::kPublic:
      return "public = true\n";
    case DeclaredUnit::Kind::kRow:
      return "unit = \"row\"\n";
    case DeclaredUnit::Kind::kColumns: {
      // A column that happens to be called row.
      const bool is_row = unit.columns.size() == 1 && unit.columns.front() == "row";
      return fmt::format("unit = {}\n", is_row ? "[\"row\"]" : quoted_names(unit.columns));
    }
    case DeclaredUnit::Kind::kPath:
      return fmt::format("unit = {{columns = {}, table = {}, keys = {}}}\n",
                         quoted_names(unit.columns), toml_string(unit.table),
                         quoted_names(unit.keys));
  }
  std::unreachable();
}

// In quotes a number would read back as a text: it is written as the integer or double it was.
std::string number_text(const Rational& value) {
  const bool is_integer = Rational(mpq_class(value.floor())) == value;
  if (is_integer && value.floor().fits_slong_p()) return value.to_string();
  return fmt::format("{}", value.approximate());
}

std::string value_text(const DeclaredValue& value) {
  if (const auto* const truth = std::get_if<bool>(&value)) return *truth ? "true" : "false";
  if (const auto* const number = std::get_if<Rational>(&value)) return number_text(*number);
  return toml_string(std::get<std::string>(value));
}

bool is_number(std::string_view type) {
  return type == "integer" || type == "real" || type.starts_with("decimal");
}

std::string bound_text(const DeclaredBound& bound) {
  const auto* const number = std::get_if<Rational>(&bound);
  return number == nullptr ? toml_string(std::get<std::string>(bound)) : toml_number(*number);
}

// What is left out, as it would be written: where a sum or a public key would miss it.
std::string hint_for(const std::string& type) {
  if (is_number(type))
    return fmt::format("  # {{type = {}, min = 0, max = 100}}", toml_string(type));
  if (type == "date") return "  # {type = \"date\", min = 2020-01-01, max = 2029-12-31}";
  return "";
}

std::string column_line(const DeclaredColumn& column) {
  if (!column.min && !column.max && column.values.empty() && column.nulls) {
    return fmt::format("{} = {}{}\n", toml_key(column.name), toml_string(column.type),
                       hint_for(column.type));
  }
  std::string text =
      fmt::format("{} = {{type = {}", toml_key(column.name), toml_string(column.type));
  if (column.min) text += ", min = " + bound_text(*column.min);
  if (column.max) text += ", max = " + bound_text(*column.max);
  if (!column.values.empty()) {
    std::vector<std::string> values;
    for (const DeclaredValue& value : column.values) values.push_back(value_text(value));
    text += fmt::format(", values = [{}]", fmt::join(values, ", "));
  }
  if (!column.nulls) text += ", nulls = false";
  return text + "}\n";
}

std::string table_section(const DeclaredTable& table, const std::string& title) {
  std::string text = fmt::format("\n[{}]\n", title);
  if (table.source != table.name) text += fmt::format("source = {}\n", toml_string(table.source));
  if (table.csv.delimiter) {
    text += fmt::format("delimiter = {}\n", toml_string(*table.csv.delimiter));
  }
  if (!table.csv.header) text += "header = false\n";
  text += unit_line(table.unit);
  text += fmt::format("\n[{}.columns]\n", title);
  for (const DeclaredColumn& column : table.columns) text += column_line(column);
  return text;
}

}  // namespace

std::string data_lines(const DeclaredData& data) {
  std::string text;
  if (data.engine != DeclaredData::kDefaultEngine) {
    text += fmt::format("engine = {}\n", toml_string(data.engine));
  }
  if (data.max_groups) text += fmt::format("max_groups = {}\n", *data.max_groups);
  if (data.max_rows) text += fmt::format("max_rows = {}\n", *data.max_rows);
  return text;
}

std::string table_sections(const DeclaredData& data, const std::string& title) {
  std::string text;
  for (const DeclaredTable& table : data.tables) {
    text += table_section(table, fmt::format("{}.tables.{}", title, toml_key(table.name)));
  }
  return text;
}

}  // namespace tacit

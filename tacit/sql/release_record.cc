#include "tacit/sql/release_record.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

namespace tacit::sql {
namespace {

using Json = nlohmann::json;

// JSON has no infinity, which is the half-width of an average over hardly anybody.
Json real_json(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

Json cell_json(const Cell& cell) {
  if (const auto* value = std::get_if<bool>(&cell)) return *value;
  if (const auto* value = std::get_if<int128>(&cell)) return fmt::to_string(*value);
  if (const auto* value = std::get_if<double>(&cell)) return real_json(*value);
  if (const auto* value = std::get_if<std::string>(&cell)) return *value;
  return nullptr;
}

std::optional<double> read_real(const Json& json) {
  if (json.is_number()) return json.get<double>();
  if (json == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (json == "inf") return std::numeric_limits<double>::infinity();
  if (json == "-inf") return -std::numeric_limits<double>::infinity();
  return std::nullopt;
}

std::optional<int128> read_whole(const Json& json) {
  if (!json.is_string()) return std::nullopt;
  const auto& text = json.get_ref<const std::string&>();
  const bool negative = text.starts_with('-');
  const std::string_view digits = std::string_view(text).substr(negative ? 1 : 0);
  constexpr std::size_t kMostDigits = 38;
  if (digits.empty() || digits.size() > kMostDigits) return std::nullopt;
  int128 value = 0;
  for (const char digit : digits) {
    if (digit < '0' || digit > '9') return std::nullopt;
    value = value * 10 + (digit - '0');
  }
  return negative ? -value : value;
}

std::optional<Cell> read_cell(const Json& json, const Type& type) {
  if (json.is_null()) return Cell();
  switch (type.kind) {
    case TypeKind::kBoolean:
      return json.is_boolean() ? std::optional<Cell>(json.get<bool>()) : std::nullopt;
    case TypeKind::kText:
      return json.is_string() ? std::optional<Cell>(json.get<std::string>()) : std::nullopt;
    case TypeKind::kReal: {
      const auto value = read_real(json);
      return value ? std::optional<Cell>(*value) : std::nullopt;
    }
    default: {
      const auto value = read_whole(json);
      return value ? std::optional<Cell>(*value) : std::nullopt;
    }
  }
}

Json table_json(const Table& table) {
  Json columns = Json::array();
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    Json cells = Json::array();
    for (const Cell& cell : table.columns[i]) cells.push_back(cell_json(cell));
    columns.push_back({{"name", table.fields[i].name},
                       {"type", name(table.fields[i].type)},
                       {"cells", std::move(cells)}});
  }
  return {{"columns", std::move(columns)}};
}

std::unexpected<Error> damaged() {
  return world_failed("the release on record cannot be read", "ledger",
                      "--fresh pays for a new one");
}

Result<Table> read_table(const Json& json) {
  Table table;
  for (const Json& column : json.at("columns")) {
    const auto type = parse_type(column.at("type").get<std::string>());
    if (!type) return damaged();
    std::vector<Cell> cells;
    for (const Json& each : column.at("cells")) {
      auto cell = read_cell(each, *type);
      if (!cell) return damaged();
      cells.push_back(*std::move(cell));
    }
    if (!table.columns.empty() && cells.size() != table.rows()) return damaged();
    table.fields.push_back({column.at("name").get<std::string>(), *type});
    table.columns.push_back(std::move(cells));
  }
  return table;
}

}  // namespace

std::string to_record(const std::vector<Table>& released) {
  Json tables = Json::array();
  for (const Table& table : released) tables.push_back(table_json(table));
  return Json{{"format", 1}, {"tables", std::move(tables)}}.dump(-1, ' ', false,
                                                                 Json::error_handler_t::replace);
}

Result<std::vector<Table>> from_record(std::string_view record) {
  try {
    const Json json = Json::parse(record);
    if (json.at("format") != 1) return damaged();
    std::vector<Table> tables;
    for (const Json& each : json.at("tables")) {
      TACIT_ASSIGN_OR_RETURN(Table table, read_table(each));
      tables.push_back(std::move(table));
    }
    return tables;
  } catch (const Json::exception&) {
    return damaged();
  }
}

}  // namespace tacit::sql

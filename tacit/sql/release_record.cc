#include "tacit/sql/release_record.h"

#include <fmt/format.h>

#include <algorithm>
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

Json learned_json(const LearnedBounds& learned) {
  Json ranges = Json::array();
  for (const auto& range : learned.ranges) {
    ranges.push_back(range ? Json{range->lower.to_string(), range->upper.to_string()}
                           : Json(nullptr));
  }
  return {{"rows", learned.rows ? Json(*learned.rows) : Json(nullptr)},
          {"groups", learned.groups ? Json(*learned.groups) : Json(nullptr)},
          {"ranges", std::move(ranges)}};
}

std::optional<std::uint64_t> read_count(const Json& json) {
  return json.is_null() ? std::nullopt : std::optional(json.get<std::uint64_t>());
}

Result<LearnedBounds> read_learned(const Json& json) {
  LearnedBounds out{.rows = read_count(json.at("rows")), .groups = read_count(json.at("groups"))};
  for (const Json& range : json.at("ranges")) {
    if (range.is_null()) {
      out.ranges.emplace_back();
      continue;
    }
    const auto lower = Rational::parse(range.at(0).get<std::string>());
    const auto upper = Rational::parse(range.at(1).get<std::string>());
    if (!lower || !upper) return damaged();
    out.ranges.push_back(ValueRange{.lower = *lower, .upper = *upper});
  }
  return out;
}

}  // namespace

std::string to_record(const Release& released) {
  Json record{{"format", 1}, {"tables", Json::array()}};
  for (const Table& table : released.tables) record["tables"].push_back(table_json(table));
  if (std::ranges::any_of(released.learned, &LearnedBounds::any)) {
    for (const LearnedBounds& one : released.learned) {
      record["learned"].push_back(learned_json(one));
    }
  }
  return record.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<Release> from_record(std::string_view record) {
  try {
    const Json json = Json::parse(record);
    if (json.at("format") != 1) return damaged();
    Release out;
    for (const Json& each : json.at("tables")) {
      TACIT_ASSIGN_OR_RETURN(Table table, read_table(each));
      out.tables.push_back(std::move(table));
    }
    for (const Json& each : json.value("learned", Json::array())) {
      TACIT_ASSIGN_OR_RETURN(LearnedBounds learned, read_learned(each));
      out.learned.push_back(std::move(learned));
    }
    out.learned.resize(out.tables.size());
    return out;
  } catch (const Json::exception&) {
    return damaged();
  }
}

}  // namespace tacit::sql

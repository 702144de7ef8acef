#include "cli/answer_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "tacit/base/civil_date.h"

namespace tacit::cli {
namespace {

std::string decimal_text(int128 unscaled, int scale) {
  std::string digits = fmt::to_string(unscaled < 0 ? -unscaled : unscaled);
  const auto places = static_cast<std::size_t>(scale);
  if (digits.size() <= places) digits.insert(0, places + 1 - digits.size(), '0');
  if (places > 0) digits.insert(digits.size() - places, ".");
  return unscaled < 0 ? "-" + digits : digits;
}

// DuckDB's numbers for the dates and moments 'infinity' and '-infinity'.
constexpr std::int64_t kInfiniteDay = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kInfiniteMoment = std::numeric_limits<std::int64_t>::max();

std::string date_text(std::int64_t day) {
  if (day == kInfiniteDay) return "infinity";
  if (day == -kInfiniteDay) return "-infinity";
  return tacit::date_text(civil_date(day));
}

std::string timestamp_text(std::int64_t microseconds) {
  if (microseconds == kInfiniteMoment) return "infinity";
  if (microseconds == -kInfiniteMoment) return "-infinity";
  const std::chrono::microseconds time{microseconds};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::hh_mm_ss clock{time - day};
  std::string text =
      fmt::format("{} {:02}:{:02}:{:02}", date_text(day.count()), clock.hours().count(),
                  clock.minutes().count(), clock.seconds().count());
  const auto rest = clock.subseconds().count();
  return rest == 0 ? text : fmt::format("{}.{:06}", text, rest);
}

// `name`, or the first of name_2, name_3, ... that is not taken.
std::string fresh_name(const std::string& name, const std::vector<Field>& taken) {
  const auto is_taken = [&](const std::string& candidate) {
    return std::ranges::any_of(taken, [&](const Field& field) { return field.name == candidate; });
  };
  std::string candidate = name;
  for (int n = 2; is_taken(candidate); ++n) candidate = fmt::format("{}_{}", name, n);
  return candidate;
}

nlohmann::json json_of(const Cell& cell, const Type& type) {
  if (is_null(cell)) return nullptr;
  if (const auto* value = std::get_if<bool>(&cell)) return *value;
  if (const auto* value = std::get_if<double>(&cell)) {
    return std::isfinite(*value) ? nlohmann::json(*value)
                                 : nlohmann::json(fmt::format("{}", *value));
  }
  constexpr std::int64_t kExactInDouble = std::int64_t{1} << 53;
  if (const auto* value = std::get_if<int128>(&cell);
      value != nullptr && type.kind == TypeKind::kInteger && *value >= -kExactInDouble &&
      *value <= kExactInDouble) {
    return static_cast<std::int64_t>(*value);
  }
  return exact_text(cell, type);
}

}  // namespace

tacit::Table with_half_widths(const sql::Answer& answer) {
  tacit::Table table;
  const auto add = [&](const std::string& name, const Type& type, const std::vector<Cell>& cells) {
    table.fields.push_back({fresh_name(name, table.fields), type});
    table.columns.push_back(cells);
  };
  for (const sql::AnswerColumn& column : answer.columns) {
    add(column.field.name, column.field.type, column.values);
    if (!column.half_widths.empty()) {
      add(column.field.name + "_half_width", kRealType, column.half_widths);
    }
  }
  return table;
}

std::string exact_text(const Cell& cell, const Type& type) {
  if (const auto* value = std::get_if<bool>(&cell)) return *value ? "true" : "false";
  if (const auto* value = std::get_if<double>(&cell)) return fmt::format("{}", *value);
  if (const auto* value = std::get_if<std::string>(&cell)) return *value;
  const auto* const whole = std::get_if<int128>(&cell);
  if (whole == nullptr) return {};
  switch (type.kind) {
    case TypeKind::kDate:
      return date_text(static_cast<std::int64_t>(*whole));
    case TypeKind::kTimestamp:
      return timestamp_text(static_cast<std::int64_t>(*whole));
    case TypeKind::kDecimal:
      return decimal_text(*whole, type.scale);
    default:
      return fmt::to_string(*whole);
  }
}

nlohmann::json answer_json(const sql::Answer& answer) {
  nlohmann::json columns = nlohmann::json::array();
  for (const sql::AnswerColumn& column : answer.columns) {
    columns.push_back({{"name", column.field.name},
                       {"type", name(column.field.type)},
                       {"interval", name(column.interval)}});
  }
  nlohmann::json rows = nlohmann::json::array();
  nlohmann::json half_widths = nlohmann::json::array();
  for (std::size_t row = 0; row < answer.rows(); ++row) {
    nlohmann::json values = nlohmann::json::array();
    nlohmann::json widths = nlohmann::json::array();
    for (const sql::AnswerColumn& column : answer.columns) {
      values.push_back(json_of(column.values[row], column.field.type));
      widths.push_back(column.half_widths.empty() ? nlohmann::json()
                                                  : json_of(column.half_widths[row], kRealType));
    }
    rows.push_back(std::move(values));
    half_widths.push_back(std::move(widths));
  }
  return {{"columns", columns},
          {"rows", rows},
          {"half_widths", half_widths},
          {"confidence", answer.confidence}};
}

}  // namespace tacit::cli

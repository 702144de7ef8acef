#include "cli/answer_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "cli/answer_columns.h"
#include "cli/ledger_text.h"
#include "cli/table.h"
#include "tacit/mechanisms/release.h"

namespace tacit::cli {
namespace {

// "-12345.5" to "-12,345.5"
std::string grouped(std::string digits) {
  const std::size_t first = digits.starts_with('-') ? 1 : 0;
  std::size_t end = digits.find_first_not_of("0123456789", first);
  if (end == std::string::npos) end = digits.size();
  for (; end > first + 3; end -= 3) digits.insert(end - 3, ",");
  return digits;
}

// Decimal places down to the second digit of the half-width.
int places_for(double half_width) {
  if (!(half_width > 0) || !std::isfinite(half_width)) return 2;
  return std::clamp(1 - static_cast<int>(std::floor(std::log10(half_width))), 0, 12);
}

std::string real_text(double value, const Cell& half_width) {
  if (!std::isfinite(value)) return fmt::format("{}", value);
  const auto* const width = std::get_if<double>(&half_width);
  if (width == nullptr) return fmt::format("{:.6g}", value);
  return grouped(fmt::format("{:.{}f}", value, places_for(*width)));
}

std::string half_width_text(double half_width, const Type& type) {
  if (!std::isfinite(half_width)) return "∞";
  const double shown = type.kind == TypeKind::kInteger ? std::ceil(half_width) : half_width;
  const int places = type.kind == TypeKind::kInteger ? 0 : places_for(shown);
  const double unit = std::pow(10, -places);
  return grouped(fmt::format("{:.{}f}", std::ceil(shown / unit) * unit, places));
}

// A column's cells, with the half-width behind the number.
std::string shown(const sql::AnswerColumn& column, std::size_t row) {
  const Cell half_width = column.half_widths.empty() ? Cell() : column.half_widths[row];
  std::string text = cell_text(column.values[row], column.field.type, half_width);
  const auto* const width = std::get_if<double>(&half_width);
  if (width == nullptr || is_null(column.values[row])) return text;
  const bool approximate = column.interval == IntervalKind::kApproximate;
  return fmt::format("{} {}± {}", text, approximate ? "~" : "",
                     half_width_text(*width, column.field.type));
}

std::string quoted_csv(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos && !text.empty()) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

}  // namespace

std::string cell_text(const Cell& cell, const Type& type, const Cell& half_width) {
  if (is_null(cell)) return "NULL";
  if (const auto* value = std::get_if<double>(&cell)) return real_text(*value, half_width);
  const std::string exact = exact_text(cell, type);
  if (type.is_exact_number()) return grouped(exact);
  return printable(exact);
}

std::string answer_table(const sql::Answer& answer) {
  std::vector<Table::Column> columns;
  for (const sql::AnswerColumn& column : answer.columns) {
    columns.push_back({printable(column.field.name),
                       column.field.type.is_number() ? Table::Align::kRight : Table::Align::kLeft});
  }
  Table table(std::move(columns));
  for (std::size_t row = 0; row < answer.rows(); ++row) {
    std::vector<std::string> cells;
    for (const sql::AnswerColumn& column : answer.columns) cells.push_back(shown(column, row));
    table.add(std::move(cells));
  }
  return table.to_string();
}

std::string interval_note(const sql::Answer& answer) {
  const auto has = [&](IntervalKind kind) {
    return std::ranges::any_of(
        answer.columns, [&](const sql::AnswerColumn& column) { return column.interval == kind; });
  };
  const bool approximate = has(IntervalKind::kApproximate);
  if (!approximate && !has(IntervalKind::kExact)) return {};
  return wrapped(
      fmt::format("± holds with {:g}%{}. {}", 100 * answer.confidence,
                  approximate ? "; ~ marks an interval that is approximate" : "", kIntervalCovers),
      0);
}

std::string answer_csv(const sql::Answer& answer) {
  const tacit::Table table = with_half_widths(answer);
  std::string out;
  const auto add_line = [&](const auto& cell_of) {
    for (std::size_t i = 0; i < table.fields.size(); ++i) {
      if (i > 0) out += ',';
      out += cell_of(i);
    }
    out += '\n';
  };
  add_line([&](std::size_t i) { return quoted_csv(table.fields[i].name); });
  for (std::size_t row = 0; row < table.rows(); ++row) {
    add_line([&](std::size_t i) {
      const Cell& cell = table.columns[i][row];
      return is_null(cell) ? std::string() : quoted_csv(exact_text(cell, table.fields[i].type));
    });
  }
  return out;
}

}  // namespace tacit::cli

#include "cli/risk_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/table.h"

namespace tacit::cli {
namespace {

using anonymize::percent;
using anonymize::ReidentificationRisk;

}  // namespace

std::string risk_table(const std::vector<std::pair<std::string, ReidentificationRisk>>& tables) {
  std::vector<Table::Column> columns{{"", Table::Align::kLeft}};
  for (const auto& [title, risk] : tables) columns.push_back({title, Table::Align::kRight});
  Table table(std::move(columns));
  const auto add = [&](const char* label, const auto& cell) {
    std::vector<std::string> row{label};
    for (const auto& [title, risk] : tables) row.push_back(cell(risk));
    table.add(std::move(row));
  };
  using Risk = const ReidentificationRisk&;
  add("rows", [](Risk risk) { return grouped_digits(risk.rows); });
  add("classes", [](Risk risk) { return grouped_digits(risk.classes); });
  add("smallest class", [](Risk risk) { return grouped_digits(risk.smallest); });
  add("average class", [](Risk risk) { return fmt::format("{:.2f}", risk.average_class()); });
  add("largest class", [](Risk risk) { return grouped_digits(risk.largest); });
  add("rows alone in their class", [](Risk risk) { return grouped_digits(risk.unique); });
  add("prosecutor, highest risk", [](Risk risk) { return percent(risk.highest()); });
  add("prosecutor, average risk", [](Risk risk) { return percent(risk.average()); });
  add("journalist, highest risk", [](Risk risk) { return "<= " + percent(risk.highest()); });
  add("marketer, expected links", [](Risk risk) { return percent(risk.marketer()); });
  return table.to_string();
}

nlohmann::json risk_json(const ReidentificationRisk& risk) {
  return {
      {"rows", risk.rows},
      {"classes", risk.classes},
      {"smallest_class", risk.smallest},
      {"average_class", risk.average_class()},
      {"largest_class", risk.largest},
      {"unique_rows", risk.unique},
      {"prosecutor", {{"highest", risk.highest()}, {"average", risk.average()}}},
      {"journalist", {{"highest_at_most", risk.highest()}, {"average_at_most", risk.average()}}},
      {"marketer", risk.marketer()}};
}

}  // namespace tacit::cli

#include "cli/released_access.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "cli/attack_text.h"
#include "cli/ledger_text.h"
#include "cli/query_watch.h"
#include "cli/risk_text.h"
#include "cli/table.h"
#include "tacit/data/engine.h"

namespace tacit::cli {
namespace {

// Of a share, in percent: "0", "0.012", "4.21", "13.9", "100".
std::string short_percent(double share) {
  const double percent = 100 * share;
  if (percent == 0 || percent == 100) return fmt::format("{:g}", percent);
  return fmt::format(fmt::runtime(percent < 0.1  ? "{:.2g}"
                                  : percent < 10 ? "{:.2f}"
                                                 : "{:.1f}"),
                     percent);
}

const char* verdict(const attacks::Report& report) {
  if (!report.checked) return "?";
  return report.beats_guessing() ? "leaks" : "no gain";
}

}  // namespace

using attacks::ReleasedTable;

void ReleaseOptions::add_options(CLI::App& verb) {
  verb.add_option("--policy", policy, "Roles of the columns")->type_name("FILE")->required();
  verb.add_option("--sensitive", sensitive, "Attack this column alone (default: all sensitive)")
      ->type_name("COLUMN");
  verb.add_option("--show-victims", victims,
                  "Show so many people and what is learned of them; for your eyes alone")
      ->type_name("N")
      ->check(CLI::Range(std::size_t{0}, attacks::kMostVictims));
}

Result<ReleasedTable> read_released(const std::string& file, const anonymize::Policy& policy) {
  TACIT_ASSIGN_OR_RETURN(Engine engine, Engine::duckdb_in_memory(Engine::Files::kAllowed));
  const QueryWatch watch(engine, "the engine counts");
  return ReleasedTable::read(engine, file, policy);
}

Result<std::vector<std::size_t>> attacked_columns(const ReleaseOptions& options,
                                                  const ReleasedTable& release) {
  if (!options.sensitive.empty()) {
    TACIT_ASSIGN_OR_RETURN(const std::size_t column, release.find_sensitive(options.sensitive));
    return std::vector{column};
  }
  if (release.sensitive.empty()) {
    return bad_input("it has no sensitive column", release.name,
                     "give the columns that nobody should learn the role \"sensitive\"");
  }
  std::vector<std::size_t> out(release.sensitive.size());
  std::iota(out.begin(), out.end(), std::size_t{0});
  return out;
}

void print_reports(const ReleaseOptions& options, std::vector<ColumnReport> reports,
                   Session& session) {
  nlohmann::json all = nlohmann::json::array();
  std::string text;
  for (ColumnReport& each : reports) {
    auto& victims = each.report.victims;
    victims.resize(std::min(victims.size(), options.victims));
    all.push_back(column_report_json(each));
    if (!each.column.empty()) each.report.attack += " of " + each.column;
    text += (text.empty() ? "" : "\n") + report_text(each.report);
  }
  if (session.json) {
    session.print(nlohmann::json{{"release", options.release}, {"attacks", std::move(all)}});
  } else {
    session.print(text);
  }
}

std::string reports_table(const std::vector<ColumnReport>& reports) {
  const bool has_several = std::ranges::any_of(
      reports, [&](const ColumnReport& each) { return each.column != reports.front().column; });
  using Align = Table::Align;
  std::vector<Table::Column> columns{{"attack"}};
  if (has_several) columns.push_back({"learns"});
  for (const char* const title : {"hits", "of", "%", "95%", "guess"}) {
    columns.push_back({title, Align::kRight});
  }
  columns.push_back({"verdict"});
  Table table(std::move(columns));
  for (const auto& [column, report] : reports) {
    const attacks::Share share = report.share();
    std::vector<std::string> cells{report.attack};
    if (has_several) cells.push_back(abbreviated(printable(column), 10));
    cells.insert(cells.end(), {grouped_digits(report.successes), grouped_digits(report.targets),
                               short_percent(share.value),
                               short_percent(share.lower) + "-" + short_percent(share.upper),
                               short_percent(report.baseline), verdict(report)});
    table.add(std::move(cells));
  }
  return table.to_string();
}

nlohmann::json column_report_json(const ColumnReport& report) {
  nlohmann::json out = report_json(report.report);
  if (report.column.empty()) {
    out["column"] = nullptr;
  } else {
    out["column"] = report.column;
  }
  return out;
}

}  // namespace tacit::cli

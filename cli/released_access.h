#pragma once

#include <CLI/App.hpp>
#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cli/command.h"
#include "tacit/anonymize/policy.h"
#include "tacit/attacks/released_table.h"
#include "tacit/attacks/report.h"
#include "tacit/base/error.h"

namespace tacit::cli {

// What every attack on a published table is given.
struct ReleaseOptions {
  std::string release;
  std::string policy;
  std::string sensitive;    // a column; empty: all of them
  std::size_t victims = 0;  // so many are shown

  // Adds --policy, --sensitive and --show-victims.
  void add_options(CLI::App& verb);
};

// Reads and counts a file while the user can see how long it takes and end it.
Result<attacks::ReleasedTable> read_released(const std::string& file,
                                             const anonymize::Policy& policy);

// The sensitive columns that are attacked.
Result<std::vector<std::size_t>> attacked_columns(const ReleaseOptions& options,
                                                  const attacks::ReleasedTable& release);

// What an attack made of a sensitive column; of rows as such where it is empty.
struct ColumnReport {
  std::string column;
  attacks::Report report;
};

// Prints reports with no more victims than were asked for.
void print_reports(const ReleaseOptions& options, std::vector<ColumnReport> reports,
                   Session& session);
nlohmann::json column_report_json(const ColumnReport& report);
// A line for each, at most 80 columns wide for tables of up to ten million rows.
std::string reports_table(const std::vector<ColumnReport>& reports);

}  // namespace tacit::cli

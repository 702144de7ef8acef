#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <utility>

#include "tacit/anonymize/row_writing.h"
#include "tacit/anonymize/safepub/safepub.h"
#include "tacit/anonymize/unfinished_file_internal.h"

namespace tacit::anonymize {
namespace {

constexpr const char* kTable = "released_classes";

// A line for each class: its number, its labels, its rows.
Table lines_of(const SafePubPlan& plan, const PrivateTable& table) {
  Table out{.fields = {{"number", kIntegerType}, {"copies", kIntegerType}},
            .columns = std::vector<std::vector<Cell>>(2 + plan.columns().size())};
  for (std::size_t i = 0; i < plan.columns().size(); ++i) {
    out.fields.push_back({fmt::format("q{}", i), kTextType});
  }
  for (const PrivateTable::Class& each : table.classes) {
    out.columns[0].emplace_back(static_cast<int128>(out.columns[0].size()));
    out.columns[1].emplace_back(static_cast<int128>(each.rows));
    for (std::size_t i = 0; i < each.labels.size(); ++i) {
      out.columns[2 + i].emplace_back(each.labels[i]);
    }
  }
  return out;
}

// A column that stays as it is keeps its type; the empty text was NULL.
std::string shown(const SafePubPlan::Column& column, std::size_t i, std::size_t level) {
  const std::string label = fmt::format("nullif(q{}, '')", i);
  return fmt::format("{} AS {}",
                     level == 0 ? fmt::format("TRY_CAST({} AS {})", label, column.type) : label,
                     duckdb_dialect().identifier(column.name));
}

std::string rows_of(const SafePubPlan& plan, const PrivateTable& table, const std::string& secret) {
  std::vector<std::string> columns;
  for (std::size_t i = 0; i < plan.columns().size(); ++i) {
    columns.push_back(shown(plan.columns()[i], i, table.levels[i]));
  }
  const std::array row{std::string("CAST(number AS VARCHAR)"),
                       std::string("CAST(copy AS VARCHAR)")};
  return fmt::format("SELECT {} FROM (SELECT *, unnest(range(copies)) AS copy FROM {}) ORDER BY {}",
                     fmt::join(columns, ", "), kTable, duckdb_dialect().keyed_hash(row, secret));
}

}  // namespace

Result<void> write_table(Engine& engine, const SourceFile& source, const SafePubPlan& plan,
                         const PrivateTable& table, const std::filesystem::path& output) {
  const auto format = row_format(output);
  if (!format) {
    return bad_input("its name does not say how to write it", output.string(),
                     "end it in .csv, .parquet or .json");
  }
  const std::string drop = fmt::format("DROP TABLE IF EXISTS {}", kTable);
  TACIT_RETURN_IF_ERROR(engine.execute(drop));
  TACIT_RETURN_IF_ERROR(engine.load(kTable, lines_of(plan, table)));
  TACIT_ASSIGN_OR_RETURN(const std::string secret, fresh_secret());
  const UnfinishedFile unfinished(output);
  const auto written = engine.execute(
      fmt::format("COPY ({}) TO {} ({}, USE_TMP_FILE false)", rows_of(plan, table, secret),
                  duckdb_dialect().literal(unfinished.path().string(), kTextType),
                  copy_options({.format = *format, .delimiter = source.form().delimiter})));
  if (!written) {
    return world_failed(fmt::format("the output cannot be written: {}", engine.steward_detail()),
                        output.string(), "is there room on the disk?");
  }
  return unfinished.put_in_place(output);
}

}  // namespace tacit::anonymize

#include "tacit/anonymize/population_rows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <unordered_set>
#include <utility>

#include "tacit/anonymize/source_file.h"

namespace tacit::anonymize {

Result<PopulationRows> PopulationRows::read(Engine& engine, const std::filesystem::path& file,
                                            const std::vector<ColumnPolicy>& columns) {
  TACIT_ASSIGN_OR_RETURN(const SourceFile source, SourceFile::open(engine, file));
  std::vector<std::string> texts;
  for (const ColumnPolicy& column : columns) {
    if (source.find(column.name) == nullptr) {
      return bad_input(fmt::format("the population has no column '{}'", column.name), source.name(),
                       "it needs every quasi-identifier of the policy");
    }
    texts.push_back(
        fmt::format("coalesce(CAST({} AS VARCHAR), '')", duckdb_dialect().identifier(column.name)));
  }
  auto counted = engine.query(fmt::format("SELECT {}, count(*) FROM {} GROUP BY ALL",
                                          fmt::join(texts, ", "), source.reader()));
  if (!counted) return source.unreadable(engine);
  TACIT_RETURN_IF_ERROR(source.check_unchanged());
  PopulationRows out;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    auto& own = out.values.emplace_back();
    for (Cell& cell : counted->columns[i]) own.push_back(std::get<std::string>(std::move(cell)));
  }
  for (const Cell& cell : counted->columns.back()) {
    out.rows.push_back(static_cast<std::uint64_t>(std::get<int128>(cell)));
  }
  return out;
}

std::vector<Value> PopulationRows::with_values_of(std::size_t column,
                                                  const std::vector<Value>& table) const {
  std::vector<Value> out = table;
  std::unordered_set<std::string> seen;
  for (const Value& value : table) seen.insert(value.text);
  for (const std::string& text : values[column]) {
    if (seen.insert(text).second) out.push_back({.text = text});
  }
  return out;
}

}  // namespace tacit::anonymize

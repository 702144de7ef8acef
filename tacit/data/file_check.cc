#include <fmt/format.h>

#include "tacit/data/file_check_internal.h"

namespace tacit {
namespace {

struct Suspicion {
  std::string condition;
  std::string what;
};

Suspicion suspicion(FileFormat format) {
  if (format == FileFormat::kJson) {
    return {.condition = fmt::format("NOT {}", is_json_object("line")),
            .what = "are not a JSON object"};
  }
  return {.condition = R"(contains(line, '"') AND len(string_split(line, '"')) % 2 = 0)",
          .what = "have a quotation mark that does not close"};
}

constexpr const char* kOneLine =
    "every record must be one line: convert the file to Parquet, or write it anew without line "
    "breaks in its values";

}  // namespace

Result<void> check_lines(Engine& engine, const std::string& pattern, FileFormat format,
                         bool has_header) {
  const Suspicion suspected = suspicion(format);
  // Of a line that queries leave out, or lose the end of, a mark could be overlooked: one fails to
  // be read here, the other has a rest.
  const auto found = engine.query(
      fmt::format("SELECT filename, count(*) FROM {} WHERE rest IS NOT NULL OR (line <> '' AND {}) "
                  "GROUP BY filename ORDER BY filename LIMIT 1",
                  lines_of(pattern, has_header,
                           "columns = {'line': 'VARCHAR', 'rest': 'VARCHAR'}, nullstr = '\x1c', "
                           "filename = true"),
                  suspected.condition));
  if (!found) {
    return bad_input("a line is not UTF-8, or longer than 2 MB", pattern,
                     "write the file anew as UTF-8, or convert it to Parquet");
  }
  if (found->rows() == 0) return {};
  return bad_input(fmt::format("{} of its lines {}",
                               static_cast<std::uint64_t>(std::get<int128>(found->columns[1][0])),
                               suspected.what),
                   std::get<std::string>(found->columns[0][0]), kOneLine);
}

Result<void> check_values(Engine& engine, const TableSchema& table, const std::string& place) {
  for (const Column& column : table.columns) {
    // A hash needs the value itself, where a count or an extreme may be known from statistics.
    const std::string sql = fmt::format("SELECT max(hash({})) FROM {} AS t",
                                        engine.dialect().identifier(column.name), table.source);
    if (engine.query(sql)) continue;
    return bad_input(
        fmt::format("the column '{}' holds {}", column.name,
                    column.type.kind == TypeKind::kText ? "text that is not UTF-8"
                                                        : "a value that no query could read"),
        place, "write the data anew with valid values, or leave the column out");
  }
  return {};
}

}  // namespace tacit

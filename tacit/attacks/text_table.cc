#include "tacit/attacks/text_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "tacit/anonymize/source_file.h"
#include "tacit/data/engine.h"

namespace tacit::attacks {
namespace {

using anonymize::SourceFile;

// A file and an engine that reads it.
struct OpenFile {
  Engine engine;
  SourceFile source;

  static Result<OpenFile> open(const std::filesystem::path& file) {
    TACIT_ASSIGN_OR_RETURN(Engine engine, Engine::duckdb_in_memory(Engine::Files::kAllowed));
    TACIT_ASSIGN_OR_RETURN(SourceFile source, SourceFile::open(engine, file));
    return OpenFile{.engine = std::move(engine), .source = std::move(source)};
  }

  // "coalesce(CAST("zip" AS VARCHAR), '') AS c0, ..."
  [[nodiscard]] Result<std::string> selected(const std::vector<std::string>& columns) const {
    std::vector<std::string> out;
    for (const std::string& column : columns) {
      if (source.find(column) == nullptr) {
        std::vector<std::string> there;
        for (const SourceFile::Column& each : source.columns()) there.push_back(each.name);
        return bad_input(fmt::format("it has no column '{}'", column), source.name(),
                         fmt::format("it has {}", fmt::join(there, ", ")));
      }
      out.push_back(fmt::format("coalesce(CAST({} AS VARCHAR), '') AS c{}",
                                duckdb_dialect().identifier(column), out.size()));
    }
    return fmt::format("{}", fmt::join(out, ", "));
  }
};

Result<std::vector<std::string>> texts_of(OpenFile& file, const std::string& sql) {
  const auto answer = file.engine.query(sql);
  if (!answer) return file.source.unreadable(file.engine);
  std::vector<std::string> out;
  for (const Cell& cell : answer->columns.front()) out.push_back(std::get<std::string>(cell));
  return out;
}

}  // namespace

Result<TextTable> TextTable::read(const std::filesystem::path& file,
                                  const std::vector<std::string>& columns) {
  TACIT_ASSIGN_OR_RETURN(OpenFile opened, OpenFile::open(file));
  TACIT_ASSIGN_OR_RETURN(const std::string selected, opened.selected(columns));
  if (!opened.engine.execute(fmt::format("CREATE TEMP TABLE file_rows AS SELECT {} FROM {}",
                                         selected, opened.source.reader()))) {
    return opened.source.unreadable(opened.engine);
  }
  TextTable out;
  std::string codes;
  std::string joins;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    // A type ENUM would do the same and takes four times as long for a column of keys.
    const std::string dictionary = fmt::format(
        "CREATE TEMP TABLE texts{0} AS SELECT c{0} AS text, row_number() OVER () - 1 AS code "
        "FROM (SELECT DISTINCT c{0} FROM file_rows)",
        i);
    if (!opened.engine.execute(dictionary)) return opened.source.unreadable(opened.engine);
    TACIT_ASSIGN_OR_RETURN(
        auto texts, texts_of(opened, fmt::format("SELECT text FROM texts{} ORDER BY code", i)));
    out.columns.push_back({.name = columns[i], .texts = std::move(texts)});
    codes += fmt::format("{}texts{}.code", i == 0 ? "" : ", ", i);
    joins += fmt::format(" JOIN texts{0} ON c{0} = texts{0}.text", i);
  }
  const auto rows = opened.engine.query_integers(
      fmt::format("SELECT {} FROM file_rows{} ORDER BY file_rows.rowid", codes, joins));
  if (!rows) return opened.source.unreadable(opened.engine);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    for (const std::int64_t code : (*rows)[i]) {
      out.columns[i].codes.push_back(static_cast<std::uint32_t>(code));
    }
  }
  if (out.rows() == 0) return bad_input("it has no rows", file.string(), "there is nothing to do");
  return out;
}

Result<std::vector<std::string>> column_names(const std::filesystem::path& file) {
  TACIT_ASSIGN_OR_RETURN(const OpenFile opened, OpenFile::open(file));
  std::vector<std::string> out;
  for (const SourceFile::Column& column : opened.source.columns()) out.push_back(column.name);
  return out;
}

Result<std::vector<std::string>> describe_rows(const std::filesystem::path& file,
                                               const std::vector<std::uint64_t>& rows,
                                               const std::vector<std::string>& without) {
  if (rows.empty()) return std::vector<std::string>();
  TACIT_ASSIGN_OR_RETURN(OpenFile opened, OpenFile::open(file));
  std::vector<std::string> columns;
  for (const SourceFile::Column& column : opened.source.columns()) {
    if (std::ranges::find(without, column.name) == without.end()) columns.push_back(column.name);
  }
  if (columns.empty()) return std::vector<std::string>(rows.size());
  TACIT_ASSIGN_OR_RETURN(const std::string selected, opened.selected(columns));
  const auto found = opened.engine.query(fmt::format(
      "SELECT * FROM (SELECT {}, row_number() OVER () - 1 AS place FROM {}) WHERE place IN ({})",
      selected, opened.source.reader(), fmt::join(rows, ", ")));
  if (!found) return opened.source.unreadable(opened.engine);
  std::unordered_map<std::uint64_t, std::string> described;
  for (std::size_t row = 0; row < found->rows(); ++row) {
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const auto& text = std::get<std::string>(found->columns[i][row]);
      if (!text.empty()) parts.push_back(columns[i] + " " + text);
    }
    described[static_cast<std::uint64_t>(std::get<int128>(found->columns.back()[row]))] =
        fmt::format("{}", fmt::join(parts, ", "));
  }
  std::vector<std::string> out;
  for (const std::uint64_t row : rows) out.push_back(described[row]);
  return out;
}

}  // namespace tacit::attacks

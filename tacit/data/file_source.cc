#include <fmt/format.h>
#include <fmt/ranges.h>
#include <glob.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <utility>

#include "tacit/data/dialect.h"
#include "tacit/data/file_source_internal.h"
#include "tacit/data/names_internal.h"

namespace tacit {
namespace {

constexpr std::string_view kWildcards = "*?[";

constexpr std::array<std::pair<std::string_view, FileFormat>, 8> kEndings = {{
    {".csv", FileFormat::kCsv},
    {".tsv", FileFormat::kCsv},
    {".txt", FileFormat::kCsv},
    {".parquet", FileFormat::kParquet},
    {".pq", FileFormat::kParquet},
    {".json", FileFormat::kJson},
    {".ndjson", FileFormat::kJson},
    {".jsonl", FileFormat::kJson},
}};

std::string_view without_compression(std::string_view name) {
  for (const std::string_view ending : {".gz", ".zst"}) {
    if (name.ends_with(ending)) return name.substr(0, name.size() - ending.size());
  }
  return name;
}

bool is_compressed(std::string_view name) { return without_compression(name) != name; }

std::string sql_text(std::string_view text) {
  return duckdb_dialect().literal(std::string(text), kTextType);
}

// The fields of the first line of a CSV file. A field in quotes may hold the delimiter, but no end
// of line: names of columns do not.
Result<std::vector<std::string>> header_fields(const std::filesystem::path& file, char delimiter) {
  std::ifstream stream(file, std::ios::binary);
  std::string line;
  if (!std::getline(stream, line)) {
    return world_failed("its header cannot be read", file.string(),
                        "check that you may read it, or write header = false");
  }
  if (line.starts_with("\xef\xbb\xbf")) line.erase(0, 3);
  if (line.ends_with('\r')) line.pop_back();
  std::vector<std::string> fields(1);
  bool is_quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && is_quoted && line.substr(i + 1).starts_with('"')) {
      fields.back() += line[++i];
    } else if (line[i] == '"') {
      is_quoted = !is_quoted;
    } else if (line[i] == delimiter && !is_quoted) {
      fields.emplace_back();
    } else {
      fields.back() += line[i];
    }
  }
  return fields;
}

char delimiter_of(const std::string& pattern, const DeclaredTable& table) {
  if (table.csv.delimiter) return table.csv.delimiter->front();
  return without_compression(pattern).ends_with(".tsv") ? '\t' : ',';
}

// The names of the file's columns in their order: declared ones by their declared names, others by
// names that nobody reads.
Result<std::vector<std::string>> csv_columns(const std::string& pattern, const DeclaredTable& table,
                                             std::span<const Column> columns) {
  std::vector<std::string> names;
  for (const Column& column : columns) names.push_back(column.name);
  const auto files = matching_files(pattern);
  if (!table.csv.header || files.empty() || is_compressed(pattern)) return names;
  TACIT_ASSIGN_OR_RETURN(std::vector<std::string> fields,
                         header_fields(files.front(), delimiter_of(pattern, table)));
  for (const std::string& name : names) {
    const auto same = [&](const std::string& field) { return same_name(field, name); };
    if (std::ranges::count_if(fields, same) == 1) continue;
    return bad_input(fmt::format("the header of '{}' does not name the column '{}' once",
                                 files.front().string(), name),
                     table.name, fmt::format("it names: {}", fmt::join(fields, ", ")));
  }
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const auto declared = std::ranges::find_if(
        names, [&](const std::string& name) { return same_name(fields[i], name); });
    fields[i] = declared == names.end() ? fmt::format("tacit_unread_{}", i) : *declared;
  }
  return fields;
}

// {'id': 'VARCHAR', ...}
std::string text_columns(std::span<const std::string> names) {
  std::vector<std::string> parts;
  for (const std::string& name : names) parts.push_back(sql_text(name) + ": 'VARCHAR'");
  return fmt::format("{{{}}}", fmt::join(parts, ", "));
}

}  // namespace

std::optional<FileFormat> file_format(std::string_view name) {
  const std::string_view plain = without_compression(name);
  for (const auto& [ending, format] : kEndings) {
    if (plain.ends_with(ending)) return format;
  }
  return std::nullopt;
}

std::string file_pattern(const std::filesystem::path& folder, std::string_view source) {
  std::error_code error;
  return (std::filesystem::absolute(folder, error) / source).lexically_normal().string();
}

std::vector<std::filesystem::path> matching_files(const std::string& pattern) {
  std::vector<std::filesystem::path> files;
  glob_t found{};
  if (::glob(pattern.c_str(), 0, nullptr, &found) == 0) {
    files.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  }
  ::globfree(&found);
  return files;
}

void allow(FileAccess& access, const std::string& pattern) {
  const std::size_t wildcard = pattern.find_first_of(kWildcards);
  if (wildcard == std::string::npos) {
    access.files.push_back(pattern);
  } else {
    access.folders.push_back(pattern.substr(0, pattern.rfind('/', wildcard) + 1));
  }
}

Result<std::string> file_reader(const std::string& pattern, const DeclaredTable& table,
                                std::span<const Column> columns) {
  std::vector<std::string> names;
  for (const Column& column : columns) names.push_back(column.name);
  switch (*file_format(pattern)) {
    case FileFormat::kParquet:
      return fmt::format("read_parquet({})", sql_text(pattern));
    case FileFormat::kJson:
      return fmt::format(
          "read_json({}, format = 'newline_delimited', ignore_errors = true, columns = {})",
          sql_text(pattern), text_columns(names));
    case FileFormat::kCsv: {
      TACIT_ASSIGN_OR_RETURN(names, csv_columns(pattern, table, columns));
      return fmt::format(
          "read_csv({}, auto_detect = false, header = {}, delim = {}, quote = '\"', escape = '\"', "
          "strict_mode = false, null_padding = true, ignore_errors = true, columns = {})",
          sql_text(pattern), table.csv.header,
          sql_text(std::string(1, delimiter_of(pattern, table))), text_columns(names));
    }
  }
  std::unreachable();
}

}  // namespace tacit

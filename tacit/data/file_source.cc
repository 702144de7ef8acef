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

// Every line of the files as a row of one text, whatever it holds: a reader that knows of quotation
// marks or brackets would let one that does not close take the next lines along. A delimiter of
// control characters keeps lines whole; one that holds it loses its own end. Empty lines, of which
// there is one behind each carriage return, are no rows.
std::string lines_of(const std::string& pattern, bool has_header) {
  return fmt::format(
      "(SELECT line FROM read_csv({}, auto_detect = false, header = {}, "
      "delim = '\x1c\x1d\x1e\x1f', quote = '', escape = '', new_line = '\\n', strict_mode = false, "
      "null_padding = true, ignore_errors = true, columns = {{'line': 'VARCHAR'}}) WHERE line <> "
      "'')",
      sql_text(pattern), has_header);
}

// The fields of a line of CSV. Where its quotation marks pair, delimiters between two of them
// belong to the field: outside, in every other piece between marks, they become a sign of their own
// to split at.
std::string csv_fields(char delimiter) {
  const std::string sign = sql_text(std::string(1, delimiter));
  return fmt::format(
      R"(CASE WHEN contains(line, '"') AND len(string_split(line, '"')) % 2 = 1 )"
      R"(THEN string_split(array_to_string(list_transform(string_split(line, '"'), )"
      R"(lambda piece, i: CASE WHEN i % 2 = 1 THEN replace(piece, {0}, chr(31)) ELSE piece END), )"
      R"('"'), chr(31)) ELSE string_split(line, {0}) END)",
      sign);
}

// A field of a line without the quotation marks around it; an empty one is NULL.
std::string csv_value(std::size_t position) {
  const std::string field = fmt::format("fields[{}]", position + 1);
  return fmt::format(
      R"(nullif(CASE WHEN starts_with({0}, '"') AND ends_with({0}, '"') AND strlen({0}) > 1 )"
      R"(THEN replace(substring({0}, 2, length({0}) - 2), '""', '"') ELSE {0} END, ''))",
      field);
}

std::string csv_reader(const std::string& pattern, const DeclaredTable& table,
                       std::span<const std::string> names, std::span<const Column> columns) {
  std::vector<std::string> values;
  for (const Column& column : columns) {
    const auto position = std::ranges::find(names, column.name) - names.begin();
    values.push_back(fmt::format("{} AS {}", csv_value(static_cast<std::size_t>(position)),
                                 duckdb_dialect().identifier(column.name)));
  }
  return fmt::format("(SELECT {} FROM (SELECT {} AS fields FROM {}))", fmt::join(values, ", "),
                     csv_fields(delimiter_of(pattern, table)), lines_of(pattern, table.csv.header));
}

// As JSON Pointer has it (RFC 6901).
std::string json_pointer(std::string_view name) {
  std::string out = "/";
  for (const char c : name) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
  return out;
}

std::string json_reader(const std::string& pattern, std::span<const Column> columns) {
  std::vector<std::string> pointers;
  std::vector<std::string> values;
  for (const Column& column : columns) {
    pointers.push_back(sql_text(json_pointer(column.name)));
    values.push_back(
        fmt::format("fields[{}] AS {}", pointers.size(), duckdb_dialect().identifier(column.name)));
  }
  return fmt::format(
      "(SELECT {} FROM (SELECT CASE WHEN json_valid(line) THEN json_extract_string(line, [{}]) END "
      "AS fields FROM {}))",
      fmt::join(values, ", "), fmt::join(pointers, ", "), lines_of(pattern, false));
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
  switch (*file_format(pattern)) {
    case FileFormat::kParquet:
      return fmt::format("read_parquet({})", sql_text(pattern));
    case FileFormat::kJson:
      return json_reader(pattern, columns);
    case FileFormat::kCsv: {
      TACIT_ASSIGN_OR_RETURN(const auto names, csv_columns(pattern, table, columns));
      return csv_reader(pattern, table, names, columns);
    }
  }
  std::unreachable();
}

}  // namespace tacit

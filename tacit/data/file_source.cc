#include <fmt/format.h>
#include <fmt/ranges.h>
#include <glob.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <utility>

#include "tacit/data/engine.h"
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

// The fields of a line of CSV, for a header; nothing where a quotation mark does not close.
std::optional<std::vector<std::string>> fields_of(std::string_view line, char delimiter) {
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
  if (is_quoted) return std::nullopt;
  return fields;
}

char delimiter_of(const std::string& pattern, const DeclaredTable& table) {
  if (table.csv.delimiter) return table.csv.delimiter->front();
  return without_compression(pattern).ends_with(".tsv") ? '\t' : ',';
}

// The files as the engine finds them, so that none is read whose header was not.
Result<std::vector<std::string>> csv_files(Engine& engine, const std::string& pattern) {
  TACIT_ASSIGN_OR_RETURN(
      const Table found,
      engine.query(fmt::format("SELECT file FROM glob({}) ORDER BY file", sql_text(pattern))));
  std::vector<std::string> files;
  for (const Cell& file : found.columns[0]) files.push_back(std::get<std::string>(file));
  return files;
}

std::optional<std::string> first_line(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string line;
  if (!std::getline(stream, line)) return std::nullopt;
  return line;
}

std::optional<std::string> first_compressed_line(Engine& engine, const std::string& file) {
  const auto table = engine.query(
      fmt::format("SELECT line FROM {} WHERE line <> '' LIMIT 1", lines_of(file, false)));
  if (!table || table->rows() == 0) return std::nullopt;
  return std::get<std::string>(table->columns[0][0]);
}

Result<std::vector<std::string>> header_of(std::optional<std::string> line, const std::string& file,
                                           char delimiter) {
  if (!line) {
    return world_failed("its header cannot be read", file,
                        "check that you may read it, or write header = false");
  }
  if (line->starts_with("\xef\xbb\xbf")) line->erase(0, 3);
  if (line->ends_with('\r')) line->pop_back();
  auto fields = fields_of(*line, delimiter);
  if (!fields) {
    return bad_input("a quotation mark in its header does not close", file,
                     "no name of a column may hold a line break; rename it");
  }
  return *std::move(fields);
}

// What the headers of all the files say, which is one thing: a file whose columns stand in another
// order would be read as if they did not.
Result<std::vector<std::string>> common_header(const std::string& pattern,
                                               const DeclaredTable& table) {
  const char delimiter = delimiter_of(pattern, table);
  const bool is_one_file = pattern.find_first_of(kWildcards) == std::string::npos;
  if (is_one_file && !is_compressed(pattern)) {
    return header_of(first_line(pattern), pattern, delimiter);
  }
  TACIT_ASSIGN_OR_RETURN(Engine engine, Engine::duckdb_in_memory(Engine::Files::kAllowed));
  const auto header = [&](const std::string& file) {
    return header_of(is_compressed(file) ? first_compressed_line(engine, file) : first_line(file),
                     file, delimiter);
  };
  TACIT_ASSIGN_OR_RETURN(const auto files, csv_files(engine, pattern));
  if (files.empty()) {
    return world_failed(fmt::format("there is no file '{}'", pattern), table.name,
                        "paths start at the folder of tacit.toml");
  }
  TACIT_ASSIGN_OR_RETURN(auto common, header(files.front()));
  for (const std::string& file : files) {
    TACIT_ASSIGN_OR_RETURN(const auto fields, header(file));
    if (std::ranges::equal(fields, common, same_name)) continue;
    return bad_input(
        fmt::format("the header of '{}' is not that of '{}'", file, files.front()), table.name,
        "files of one table name the same columns in the same order; write it anew, or "
        "declare it as a table of its own");
  }
  return common;
}

// The names of the file's columns in their order: declared ones by their declared names, others by
// names that nobody reads.
Result<std::vector<std::string>> csv_columns(const std::string& pattern, const DeclaredTable& table,
                                             std::span<const Column> columns) {
  std::vector<std::string> names;
  for (const Column& column : columns) names.push_back(column.name);
  if (!table.csv.header) return names;
  TACIT_ASSIGN_OR_RETURN(std::vector<std::string> fields, common_header(pattern, table));
  for (const std::string& name : names) {
    const auto same = [&](const std::string& field) { return same_name(field, name); };
    if (std::ranges::count_if(fields, same) == 1) continue;
    // The line is not shown: in a file without a header it is somebody's row.
    return bad_input(
        fmt::format("the header of '{}' does not name the column '{}' once", pattern, name),
        table.name,
        "give it a first line of names as in tacit.toml, or declare the table there with header = "
        "false (docs/workspace.md)");
  }
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const auto declared = std::ranges::find_if(
        names, [&](const std::string& name) { return same_name(fields[i], name); });
    fields[i] = declared == names.end() ? fmt::format("tacit_unread_{}", i) : *declared;
  }
  return fields;
}

// The fields of a line of CSV. Delimiters between two quotation marks belong to the field: outside,
// in every other piece between marks, they become a sign of their own to split at, which the line
// has lost before. Where the marks do not pair there is no telling, and NULL.
std::string csv_fields(char delimiter) {
  const std::string sign = sql_text(std::string(1, delimiter));
  return fmt::format(
      R"(CASE WHEN NOT contains(line, '"') THEN string_split(line, {0}) )"
      R"(WHEN len(string_split(line, '"')) % 2 = 1 )"
      R"(THEN string_split(array_to_string(list_transform(string_split(replace(line, chr(31), ''), )"
      R"('"'), lambda piece, i: CASE WHEN i % 2 = 1 THEN replace(piece, {0}, chr(31)) )"
      R"(ELSE piece END), '"'), chr(31)) END)",
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

// Lines with another number of fields than the header are left out: what is not a row of the table
// is nobody's. Without a header the declaration may stop before the last field.
std::string csv_reader(const std::string& pattern, const DeclaredTable& table,
                       std::span<const std::string> names, std::span<const Column> columns) {
  std::vector<std::string> values;
  for (const Column& column : columns) {
    const auto position = std::ranges::find(names, column.name) - names.begin();
    values.push_back(fmt::format("{} AS {}", csv_value(static_cast<std::size_t>(position)),
                                 duckdb_dialect().identifier(column.name)));
  }
  // A condition would be pushed below the split, and every line split twice; unnest stays above.
  return fmt::format(
      "(SELECT {} FROM (SELECT unnest(CASE WHEN len(fields) {} {} THEN [fields] END) AS fields "
      "FROM (SELECT {} AS fields FROM {} WHERE line <> '')))",
      fmt::join(values, ", "), table.csv.header ? "=" : ">=", names.size(),
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

// Lines that are no object are left out: what is not a row of the table is nobody's.
std::string json_reader(const std::string& pattern, std::span<const Column> columns) {
  std::vector<std::string> pointers;
  std::vector<std::string> values;
  for (const Column& column : columns) {
    pointers.push_back(sql_text(json_pointer(column.name)));
    values.push_back(
        fmt::format("fields[{}] AS {}", pointers.size(), duckdb_dialect().identifier(column.name)));
  }
  return fmt::format(
      "(SELECT {} FROM (SELECT unnest(CASE WHEN {} THEN [json_extract_string(line, [{}])] END) AS "
      "fields FROM {}))",
      fmt::join(values, ", "), is_json_object("line"), fmt::join(pointers, ", "),
      lines_of(pattern, false));
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

std::string lines_of(const std::string& pattern, bool has_header, std::string_view options) {
  return fmt::format(
      "read_csv({}, auto_detect = false, header = {}, delim = '\x1c\x1d\x1e\x1f', quote = '', "
      "escape = '', new_line = '\\n', strict_mode = false, null_padding = true, {})",
      sql_text(pattern), has_header, options);
}

std::string is_json_object(std::string_view text) {
  return fmt::format("(json_valid({0}) AND starts_with(ltrim({0}, e' \\t'), '{{'))", text);
}

Result<std::string> file_reader(const std::string& pattern, const DeclaredTable& table,
                                std::span<const Column> columns) {
  const auto format = file_format(pattern);
  if (format == FileFormat::kParquet) return fmt::format("read_parquet({})", sql_text(pattern));
  if (format == FileFormat::kJson) return json_reader(pattern, columns);
  TACIT_ASSIGN_OR_RETURN(const auto names, csv_columns(pattern, table, columns));
  return csv_reader(pattern, table, names, columns);
}

}  // namespace tacit

#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tacit/base/error.h"
#include "tacit/data/schema.h"
#include "tacit/ledger/workspace_tables.h"

namespace tacit {

// Files that the embedded engine reads in place.
enum class FileFormat : std::uint8_t { kCsv, kParquet, kJson };

// By the ending of the name; nothing where it is none of them. ".gz" and ".zst" may follow.
std::optional<FileFormat> file_format(std::string_view name);

// The path or glob from the folder of the workspace.
std::string file_pattern(const std::filesystem::path& folder, std::string_view source);

// The files that a path or glob names now, in order.
std::vector<std::filesystem::path> matching_files(const std::string& pattern);

// A path without wildcards is a file; a glob is all that lies in a folder.
struct FileAccess {
  std::vector<std::string> files;
  std::vector<std::string> folders;
};
void allow(FileAccess& access, const std::string& pattern);

// Every line of the files as a row of one text `line`, whatever it holds, as it stands in FROM: a
// reader that knows of quotation marks or brackets would let one that does not close take the next
// lines along. A delimiter of control characters keeps lines whole; one that holds it loses its own
// end. There is an empty line behind each carriage return. By default lines that are not UTF-8 or
// longer than 2 MB are left out.
std::string lines_of(const std::string& pattern, bool has_header,
                     std::string_view options =
                         "columns = {'line': 'VARCHAR'}, "
                         "ignore_errors = true");

// Whether a text is a JSON object, in SQL; total.
std::string is_json_object(std::string_view text);

// What stands in FROM to read the columns of a table that is a file: DuckDB's reader with every
// option spelled, so that nothing is guessed from rows. CSV and JSON are read as text, and line by
// line: whatever a line holds, it changes no other row. Columns of CSV are found by the header,
// which all files of a glob must share.
Result<std::string> file_reader(const std::string& pattern, const DeclaredTable& table,
                                std::span<const Column> columns);

}  // namespace tacit

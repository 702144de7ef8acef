#include "tacit/anonymize/source_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <span>
#include <utility>

#include "tacit/anonymize/csv_text.h"
#include "tacit/anonymize/matching_files.h"

namespace tacit::anonymize {
namespace {

constexpr std::array<std::pair<std::string_view, RowFormat>, 8> kEndings = {{
    {".csv", RowFormat::kCsv},
    {".tsv", RowFormat::kCsv},
    {".txt", RowFormat::kCsv},
    {".parquet", RowFormat::kParquet},
    {".pq", RowFormat::kParquet},
    {".json", RowFormat::kJson},
    {".ndjson", RowFormat::kJson},
    {".jsonl", RowFormat::kJson},
}};

bool has_compressed_name(const std::filesystem::path& file) {
  return file.extension() == ".gz" || file.extension() == ".zst";
}

std::string sql_text(std::string_view text) {
  return duckdb_dialect().literal(std::string(text), kTextType);
}

// The engine's words but for what rows hold, up to its advice about options that are not the
// user's. The line of a file that it repeats ends before what it says of it.
std::string first_words(std::string_view all) {
  constexpr std::string_view kLine = "\nOriginal Line:";
  all = all.substr(0, all.find("\nPossible "));
  std::string detail(all.substr(0, all.find(kLine)));
  if (detail.size() < all.size()) {
    const std::size_t said = all.rfind("\nExpected Number of Columns:");
    if (said != std::string_view::npos) detail += all.substr(said);
  }
  constexpr std::size_t kLongest = 400;
  std::string out = detail.substr(0, kLongest);
  std::ranges::replace(out, '\n', ' ');
  while (out.ends_with(' ')) out.pop_back();
  return out;
}

}  // namespace

std::optional<RowFormat> row_format(const std::filesystem::path& file) {
  const std::filesystem::path plain = has_compressed_name(file) ? file.stem() : file.filename();
  for (const auto& [ending, format] : kEndings) {
    if (plain.extension() == ending) return format;
  }
  return std::nullopt;
}

Result<SourceFile> SourceFile::open(Engine& engine, const std::filesystem::path& file,
                                    std::optional<RowFileForm> form) {
  TACIT_ASSIGN_OR_RETURN(const auto files, matching_files(file));
  TACIT_ASSIGN_OR_RETURN(SourceFile out, open_one(engine, files.front(), form));
  if (files.size() == 1) return out;
  for (const auto& next : std::span(files).subspan(1)) {
    TACIT_RETURN_IF_ERROR(out.add(engine, next));
  }
  out.name_ = file.string();
  // What was guessed of one file need not hold for all.
  if (out.is_guessed()) TACIT_RETURN_IF_ERROR(out.describe(engine));
  out.reader_ = out.reader_of_files();
  return out;
}

SourceFile SourceFile::of(std::shared_ptr<ServedTable> table) {
  SourceFile out(table->name(), {});
  for (const tacit::Column& column : table->table().columns) {
    out.columns_.push_back({.name = column.name, .type = duckdb_dialect().type(column.type)});
  }
  out.table_ = std::move(table);
  return out;
}

Result<SourceFile> SourceFile::open_one(Engine& engine, const std::filesystem::path& file,
                                        std::optional<RowFileForm> form) {
  if (!form) {
    const auto format = row_format(file);
    if (!format) {
      return bad_input("its name does not say what it is", file.string(),
                       "end it in .csv, .parquet or .json");
    }
    form = RowFileForm{.format = *format};
  }
  SourceFile out(file.string(), *form);
  const auto there = File::look_at(out.name_);
  if (!there) {
    return bad_input("there is no such file, or you may not read it", out.name_,
                     "name a CSV, Parquet or JSON file");
  }
  out.files_ = {*there};
  TACIT_RETURN_IF_ERROR(form->format == RowFormat::kCsv && !out.is_compressed()
                            ? out.read_header()
                            : out.describe(engine));
  out.reader_ = out.reader_of_files();
  return out;
}

Result<void> SourceFile::add(Engine& engine, const std::filesystem::path& file) {
  constexpr const char* kRemedy =
      "files of one pattern need the same format, and the same columns in the same order";
  const std::string& first = files_.front().name;
  if (row_format(file) != row_format(first) || has_compressed_name(file) != is_compressed()) {
    return bad_input(fmt::format("it is not of the format of '{}'", first), file.string(), kRemedy);
  }
  TACIT_ASSIGN_OR_RETURN(const SourceFile next, open_one(engine, file, form_));
  const auto is_same = [&](const Column& a, const Column& b) {
    return a.name == b.name && (is_guessed() || a.type == b.type);
  };
  const auto [own, other] = std::ranges::mismatch(columns_, next.columns_, is_same);
  if (own != columns_.end() || other != next.columns_.end()) {
    const auto said = [](const auto& at, const auto& end) {
      return at == end ? "none" : fmt::format("'{}' ({})", at->name, at->type);
    };
    return bad_input(
        fmt::format("its column {} is {}, and that of '{}' is {}", own - columns_.begin() + 1,
                    said(other, next.columns_.end()), first, said(own, columns_.end())),
        file.string(), kRemedy);
  }
  files_.push_back(next.files_.front());
  return {};
}

bool SourceFile::is_compressed() const { return has_compressed_name(files_.front().name); }

bool SourceFile::is_guessed() const {
  if (files_.empty()) return false;
  return form_.format == RowFormat::kJson || (form_.format == RowFormat::kCsv && is_compressed());
}

std::uint64_t SourceFile::bytes() const {
  if (files_.empty()) return UINT64_MAX;
  std::uint64_t sum = 0;
  for (const File& file : files_) sum += file.bytes;
  return sum;
}

std::string SourceFile::reader_of_files() const {
  std::vector<std::string> names;
  for (const File& file : files_) names.push_back(sql_text(file.name));
  const std::string places =
      is_one_file() ? names.front() : fmt::format("[{}]", fmt::join(names, ", "));
  switch (form_.format) {
    case RowFormat::kJson:
      return fmt::format("read_json({})", places);
    case RowFormat::kParquet: {
      std::string rows = fmt::format("read_parquet({}, file_row_number = true)", places);
      if (is_one_file()) return rows;
      // No file has as many rows as lie between the numbers of two files.
      return fmt::format(
          "(SELECT * REPLACE ((CAST(file_index AS BIGINT) << 40) + file_row_number AS "
          "file_row_number) FROM {})",
          rows);
    }
    case RowFormat::kCsv:
      break;
  }
  if (is_compressed()) return fmt::format("read_csv({}, all_varchar = true)", places);
  std::vector<std::string> declared;
  for (const Column& column : columns_) {
    declared.push_back(fmt::format("{}: 'VARCHAR'", sql_text(column.name)));
  }
  return fmt::format(
      "read_csv({}, auto_detect = false, header = true, delim = {}, quote = '\"', escape = '\"', "
      "columns = {{{}}})",
      places, sql_text(std::string(1, form_.delimiter.value_or(','))), fmt::join(declared, ", "));
}

// What the engine finds out by itself: of Parquet it is in the file, of the rest it is guessed.
Result<void> SourceFile::describe(Engine& engine) {
  const auto described = engine.query("DESCRIBE SELECT * FROM " + reader_of_files());
  if (!described) return unreadable(engine);
  columns_.clear();
  for (std::size_t row = 0; row < described->rows(); ++row) {
    columns_.push_back({.name = std::get<std::string>(described->columns[0][row]),
                        .type = std::get<std::string>(described->columns[1][row])});
  }
  if (form_.format == RowFormat::kParquet) {
    std::erase_if(columns_, [](const Column& column) { return column.name == "file_row_number"; });
  }
  return {};
}

// The engine's own sniffer takes four times as long as reading a small file.
Result<void> SourceFile::read_header() {
  std::ifstream stream(name_, std::ios::binary);
  std::string line;
  if (!std::getline(stream, line)) {
    return bad_input("it is empty", name_, "its first line must name the columns");
  }
  if (!form_.delimiter) form_.delimiter = guess_delimiter(line);
  TACIT_ASSIGN_OR_RETURN(const auto records, parse_csv(line, *form_.delimiter, name_));
  for (const std::string& field : records.empty() ? Fields{} : records.front()) {
    if (field.empty() || find(field) != nullptr) {
      return bad_input(field.empty() ? "its header has a column without a name"
                                     : fmt::format("its header names '{}' twice", field),
                       name_ + ":1", "give every column a name of its own");
    }
    columns_.push_back({.name = field, .type = "VARCHAR"});
  }
  if (columns_.empty()) {
    return bad_input("it has no header", name_, "its first line must name the columns");
  }
  return {};
}

Result<void> SourceFile::fetch(Engine& engine) {
  if (served() == nullptr) return {};
  constexpr const char* kFetched = "fetched_table";
  std::vector<ServedTable::Text> texts;
  std::vector<std::string> typed;
  for (const Column& column : columns_) {
    const std::string text = fmt::format("v{}", texts.size());
    texts.push_back({.column = column.name, .as = text});
    typed.push_back(fmt::format("CAST({} AS {}) AS {}", text, column.type,
                                duckdb_dialect().identifier(column.name)));
  }
  TACIT_RETURN_IF_ERROR(table_->copy(engine, kFetched, texts));
  read_from(fmt::format("(SELECT {} FROM {})", fmt::join(typed, ", "), kFetched));
  return {};
}

const SourceFile::Column* SourceFile::find(std::string_view column) const {
  const auto found = std::ranges::find(columns_, column, &Column::name);
  return found == columns_.end() ? nullptr : &*found;
}

std::optional<SourceFile::File> SourceFile::File::look_at(const std::string& name) {
  struct stat status{};
  if (::stat(name.c_str(), &status) != 0 || !S_ISREG(status.st_mode) ||
      ::access(name.c_str(), R_OK) != 0) {
    return std::nullopt;
  }
  return File{.name = name,
              .bytes = static_cast<std::uint64_t>(status.st_size),
              .inode = status.st_ino,
              .modified = (status.st_mtim.tv_sec * 1'000'000'000) + status.st_mtim.tv_nsec};
}

Result<void> SourceFile::check_unchanged() const {
  for (const File& file : files_) {
    if (File::look_at(file.name) == file) continue;
    return world_failed("it has changed while it was read", file.name,
                        "nothing was written; try again when nobody writes to it");
  }
  return {};
}

std::unexpected<Error> SourceFile::unreadable(const Engine& engine) const {
  return bad_input("it cannot be read: " + first_words(engine.steward_detail()), name_,
                   form_.format == RowFormat::kCsv
                       ? "every line must have the fields of the first, in UTF-8, with quotation "
                         "marks that close"
                       : "check that it is whole");
}

}  // namespace tacit::anonymize

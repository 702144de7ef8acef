#include "tacit/anonymize/source_file.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <utility>

#include "tacit/anonymize/csv_text.h"

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

bool is_compressed(const std::filesystem::path& file) {
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
  const std::filesystem::path plain = is_compressed(file) ? file.stem() : file.filename();
  for (const auto& [ending, format] : kEndings) {
    if (plain.extension() == ending) return format;
  }
  return std::nullopt;
}

Result<SourceFile> SourceFile::open(Engine& engine, const std::filesystem::path& file,
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
  const auto stamp = out.stamp();
  if (!stamp) {
    return bad_input("there is no such file, or you may not read it", out.name_,
                     "name a CSV, Parquet or JSON file");
  }
  out.stamp_ = *stamp;
  if (form->format == RowFormat::kCsv && !is_compressed(file)) {
    TACIT_RETURN_IF_ERROR(out.read_header());
    return out;
  }
  // What the engine finds out by itself: of Parquet it is in the file, of the rest it is guessed.
  const std::string reader = form->format == RowFormat::kParquet ? "read_parquet({}{})"
                             : form->format == RowFormat::kJson
                                 ? "read_json({}{})"
                                 : "read_csv({}{}, all_varchar = true)";
  const std::string place = sql_text(out.name_);
  out.reader_ = fmt::format(fmt::runtime(reader), place, "");
  TACIT_RETURN_IF_ERROR(out.describe(engine, out.reader_));
  if (form->format == RowFormat::kParquet) {
    out.reader_ = fmt::format(fmt::runtime(reader), place, ", file_row_number = true");
  }
  return out;
}

Result<void> SourceFile::describe(Engine& engine, const std::string& reader) {
  const auto described = engine.query("DESCRIBE SELECT * FROM " + reader);
  if (!described) return unreadable(engine);
  for (std::size_t row = 0; row < described->rows(); ++row) {
    columns_.push_back({.name = std::get<std::string>(described->columns[0][row]),
                        .type = std::get<std::string>(described->columns[1][row])});
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
  std::string declared;
  for (const std::string& field : records.empty() ? Fields{} : records.front()) {
    if (field.empty() || find(field) != nullptr) {
      return bad_input(field.empty() ? "its header has a column without a name"
                                     : fmt::format("its header names '{}' twice", field),
                       name_ + ":1", "give every column a name of its own");
    }
    columns_.push_back({.name = field, .type = "VARCHAR"});
    declared += fmt::format("{}{}: 'VARCHAR'", declared.empty() ? "" : ", ", sql_text(field));
  }
  if (columns_.empty()) {
    return bad_input("it has no header", name_, "its first line must name the columns");
  }
  reader_ = fmt::format(
      "read_csv({}, auto_detect = false, header = true, delim = {}, quote = '\"', escape = '\"', "
      "columns = {{{}}})",
      sql_text(name_), sql_text(std::string(1, *form_.delimiter)), declared);
  return {};
}

const SourceFile::Column* SourceFile::find(std::string_view column) const {
  const auto found = std::ranges::find(columns_, column, &Column::name);
  return found == columns_.end() ? nullptr : &*found;
}

std::optional<SourceFile::Stamp> SourceFile::stamp() const {
  struct stat status{};
  if (::stat(name_.c_str(), &status) != 0 || !S_ISREG(status.st_mode) ||
      ::access(name_.c_str(), R_OK) != 0) {
    return std::nullopt;
  }
  return Stamp{.bytes = static_cast<std::uint64_t>(status.st_size),
               .inode = status.st_ino,
               .modified = (status.st_mtim.tv_sec * 1'000'000'000) + status.st_mtim.tv_nsec};
}

Result<void> SourceFile::check_unchanged() const {
  if (stamp() == stamp_) return {};
  return world_failed("it has changed while it was read", name_,
                      "nothing was written; try again when nobody writes to it");
}

std::unexpected<Error> SourceFile::unreadable(const Engine& engine) const {
  return bad_input("it cannot be read: " + first_words(engine.steward_detail()), name_,
                   form_.format == RowFormat::kCsv
                       ? "every line must have the fields of the first, in UTF-8, with quotation "
                         "marks that close"
                       : "check that it is whole");
}

}  // namespace tacit::anonymize

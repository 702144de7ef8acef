#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tacit/anonymize/served_table.h"
#include "tacit/base/error.h"
#include "tacit/data/engine.h"

namespace tacit::anonymize {

enum class RowFormat : std::uint8_t { kCsv, kParquet, kJson };

// By the ending of the name, before ".gz" or ".zst": .csv, .tsv and .txt; .parquet and .pq; .json,
// .ndjson and .jsonl. Nothing where it is none of them.
std::optional<RowFormat> row_format(const std::filesystem::path& file);

// How a file of rows is written.
struct RowFileForm {
  RowFormat format = RowFormat::kCsv;
  std::optional<char> delimiter;  // of CSV; guessed from the header where it is not given
};

// A table as the embedded engine reads it: a file of rows, several files of one pattern with the
// same columns, or a table of a database. Values of CSV are texts.
class SourceFile {
 public:
  struct Column {
    std::string name;
    std::string type;  // as the engine calls it
  };

  // A name with wildcards stands for all files that match it. `form`: by the name where it is not
  // given.
  static Result<SourceFile> open(Engine& engine, const std::filesystem::path& file,
                                 std::optional<RowFileForm> form = {});
  // Its rows stay in the database until they are fetched.
  static SourceFile of(std::shared_ptr<ServedTable> table);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const RowFileForm& form() const { return form_; }
  [[nodiscard]] const std::vector<Column>& columns() const { return columns_; }
  [[nodiscard]] const Column* find(std::string_view column) const;
  // Of a table of a database, which nobody knows, as many as there can be.
  [[nodiscard]] std::uint64_t bytes() const;
  [[nodiscard]] bool is_one_file() const { return files_.size() == 1; }
  // Whether names or types of columns were guessed from rows.
  [[nodiscard]] bool is_guessed() const;
  // Where rows are in a database still.
  [[nodiscard]] ServedTable* served() const { return is_in_engine_ ? nullptr : table_.get(); }
  // What stands in FROM, where the rows are not in a database still. Parquet has one column more,
  // file_row_number, which no two rows share.
  [[nodiscard]] const std::string& reader() const { return reader_; }
  // From now on rows come from a relation of the engine that has the same columns.
  void read_from(std::string relation) {
    reader_ = std::move(relation);
    is_in_engine_ = true;
  }
  [[nodiscard]] bool is_in_engine() const { return is_in_engine_; }
  // Brings the rows of a table of a database here; nothing is to be done for a file.
  Result<void> fetch(Engine& engine);

  // Refuses a file that has changed since it was opened.
  [[nodiscard]] Result<void> check_unchanged() const;
  // The engine failed at this file: what it said, for the steward.
  [[nodiscard]] std::unexpected<Error> unreadable(const Engine& engine) const;

 private:
  struct File {
    std::string name;
    std::uint64_t bytes = 0;
    std::uint64_t inode = 0;
    std::int64_t modified = 0;  // nanoseconds
    bool operator==(const File&) const = default;

    // Nothing where there is no such file, or it may not be read.
    static std::optional<File> look_at(const std::string& name);
  };

  SourceFile(std::string name, RowFileForm form) : name_(std::move(name)), form_(form) {}

  static Result<SourceFile> open_one(Engine& engine, const std::filesystem::path& file,
                                     std::optional<RowFileForm> form);
  // Refuses a file that has other columns.
  Result<void> add(Engine& engine, const std::filesystem::path& file);
  [[nodiscard]] bool is_compressed() const;
  Result<void> read_header();
  Result<void> describe(Engine& engine);
  [[nodiscard]] std::string reader_of_files() const;

  std::string name_;
  RowFileForm form_;
  std::vector<File> files_;
  std::shared_ptr<ServedTable> table_;
  std::string reader_;
  bool is_in_engine_ = false;
  std::vector<Column> columns_;
};

}  // namespace tacit::anonymize

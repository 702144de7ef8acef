#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

// A file of rows as the embedded engine reads it. Values of CSV are texts.
class SourceFile {
 public:
  struct Column {
    std::string name;
    std::string type;  // as the engine calls it
  };

  // `form`: by the name where it is not given.
  static Result<SourceFile> open(Engine& engine, const std::filesystem::path& file,
                                 std::optional<RowFileForm> form = {});

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const RowFileForm& form() const { return form_; }
  [[nodiscard]] const std::vector<Column>& columns() const { return columns_; }
  [[nodiscard]] const Column* find(std::string_view column) const;
  [[nodiscard]] std::uint64_t bytes() const { return stamp_.bytes; }
  // What stands in FROM. A Parquet file has one column more, file_row_number.
  [[nodiscard]] const std::string& reader() const { return reader_; }
  // From now on rows come from a relation of the engine that has the same columns.
  void read_from(std::string relation) {
    reader_ = std::move(relation);
    is_in_engine_ = true;
  }
  [[nodiscard]] bool is_in_engine() const { return is_in_engine_; }

  // Refuses a file that has changed since it was opened.
  [[nodiscard]] Result<void> check_unchanged() const;
  // The engine failed at this file: what it said, for the steward.
  [[nodiscard]] std::unexpected<Error> unreadable(const Engine& engine) const;

 private:
  struct Stamp {
    std::uint64_t bytes = 0;
    std::uint64_t inode = 0;
    std::int64_t modified = 0;  // nanoseconds
    bool operator==(const Stamp&) const = default;
  };

  SourceFile(std::string name, RowFileForm form) : name_(std::move(name)), form_(form) {}

  [[nodiscard]] std::optional<Stamp> stamp() const;
  Result<void> read_header();
  Result<void> describe(Engine& engine, const std::string& reader);

  std::string name_;
  RowFileForm form_;
  Stamp stamp_;
  std::string reader_;
  bool is_in_engine_ = false;
  std::vector<Column> columns_;
};

}  // namespace tacit::anonymize

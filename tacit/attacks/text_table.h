#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tacit/base/error.h"

namespace tacit::attacks {

// Columns of a table as texts, each different one once. A missing value is the empty text.
struct TextTable {
  struct Column {
    std::string name;
    std::vector<std::string> texts;
    std::vector<std::uint32_t> codes;  // of each row: the place of its text
  };
  std::vector<Column> columns;

  // These columns of a CSV, Parquet or JSON file, its rows in their order.
  static Result<TextTable> read(const std::filesystem::path& file,
                                const std::vector<std::string>& columns);

  [[nodiscard]] std::size_t rows() const {
    return columns.empty() ? 0 : columns.front().codes.size();
  }
  [[nodiscard]] const std::string& text(std::size_t column, std::size_t row) const {
    return columns[column].texts[columns[column].codes[row]];
  }
};

// The names of a file's columns.
Result<std::vector<std::string>> column_names(const std::filesystem::path& file);

// "name Weld, zip 02138" of each of these rows, counted from 0: its columns but those `without`.
Result<std::vector<std::string>> describe_rows(const std::filesystem::path& file,
                                               const std::vector<std::uint64_t>& rows,
                                               const std::vector<std::string>& without);

}  // namespace tacit::attacks

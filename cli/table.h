#pragma once

#include <string>
#include <vector>

namespace tacit::cli {

// A table for people: a header, a rule, aligned rows. Columns are as wide as their widest cell,
// counted in characters as a terminal shows them (UTF-8, one column each).
class Table {
 public:
  enum class Align { kLeft, kRight };
  struct Column {
    std::string title;
    Align align = Align::kLeft;
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // As many cells as there are columns.
  void add(std::vector<std::string> cells);
  [[nodiscard]] std::string to_string() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace tacit::cli

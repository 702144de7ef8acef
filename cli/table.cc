#include "cli/table.h"

#include <algorithm>
#include <cassert>
#include <cstddef>

#include "cli/ledger_text.h"

namespace tacit::cli {
namespace {

std::string padded(const std::string& text, std::size_t to, Table::Align align) {
  const std::string space(to - width_of(text), ' ');
  return align == Table::Align::kLeft ? text + space : space + text;
}

}  // namespace

void Table::add(std::vector<std::string> cells) {
  assert(cells.size() == columns_.size());
  rows_.push_back(std::move(cells));
}

std::string Table::to_string() const {
  std::vector<std::size_t> widths;
  for (const Column& column : columns_) widths.push_back(width_of(column.title));
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  std::string text;
  const auto add_line = [&](const auto& cell_of) {
    std::string line;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (i > 0) line += "  ";
      line += cell_of(i);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  };
  add_line([&](std::size_t i) { return padded(columns_[i].title, widths[i], columns_[i].align); });
  add_line([&](std::size_t i) { return std::string(widths[i], '-'); });
  for (const auto& row : rows_) {
    add_line([&](std::size_t i) { return padded(row[i], widths[i], columns_[i].align); });
  }
  return text;
}

}  // namespace tacit::cli

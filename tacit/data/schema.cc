#include "tacit/data/schema.h"

#include <algorithm>

namespace tacit {
namespace {

char lowered(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_name(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, lowered, lowered);
}

}  // namespace

const Column* TableSchema::find(std::string_view column) const {
  const auto found = std::ranges::find_if(
      columns, [&](const Column& each) { return same_name(each.name, column); });
  return found == columns.end() ? nullptr : &*found;
}

const TableSchema* Schema::find(std::string_view table) const {
  const auto found = std::ranges::find_if(
      tables, [&](const TableSchema& each) { return same_name(each.name, table); });
  return found == tables.end() ? nullptr : &*found;
}

}  // namespace tacit

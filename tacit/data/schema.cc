#include "tacit/data/schema.h"

#include <algorithm>

#include "tacit/data/names_internal.h"

namespace tacit {

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

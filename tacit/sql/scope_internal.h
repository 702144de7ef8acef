#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tacit/sql/relation.h"
#include "tacit/sql/syntax.h"

namespace tacit::sql {

// Without regard to the case of A to Z, as SQL compares names.
bool same_name(std::string_view a, std::string_view b);
std::string lower_name(std::string_view name);

// A column that SQL can name, as TABLE.NAME or NAME.
struct VisibleColumn {
  std::string table;
  std::string name;
  std::size_t column = 0;  // of the relation that expressions are bound over
};

// The names in reach, and what is known of the columns they mean.
struct Scope {
  std::vector<VisibleColumn> names;
  std::vector<RelationColumn> columns;

  // Those of `relation`, under `table`; its columns are put behind the ones here.
  void add(const Relation& relation, const std::string& table);
  // All of `other`, its columns behind the ones here.
  void add(const Scope& other);
  [[nodiscard]] bool has_table(std::string_view table) const;
  // The column that a COLUMN_REF node names, or a refusal that says what names there are.
  [[nodiscard]] Result<std::size_t> find(const Json& reference, const QueryText& text) const;
  [[nodiscard]] ExpressionPtr column(std::size_t column) const;
};

}  // namespace tacit::sql

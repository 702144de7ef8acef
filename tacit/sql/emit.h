#pragma once

#include <string>
#include <vector>

#include "tacit/data/dialect.h"
#include "tacit/sql/relation.h"

namespace tacit::sql {

// The fourth stage: from what is asked to the engine's own SQL.

// A relation as the pieces of one SELECT: where its rows come from, under which conditions, and the
// text of each of its columns over those.
struct FlatSelect {
  std::string from;
  std::vector<std::string> where;
  std::vector<std::string> columns;
};

// Writes relations in one engine's dialect. Aliases are numbered through, so one emitter writes one
// statement.
class Emitter {
 public:
  // Rows are numbered where a table's rows are the units, unless nothing reads the numbers.
  enum class Numbers : bool { kLeftOut, kWritten };
  explicit Emitter(const Dialect& dialect, Numbers numbers = Numbers::kWritten)
      : dialect_(dialect), numbers_(numbers) {}

  [[nodiscard]] const Dialect& dialect() const { return dialect_; }
  FlatSelect flatten(const Relation& relation);
  // `expression` over columns of those texts.
  std::string expression(const Expression& expression, const std::vector<std::string>& columns);
  // An expression grew past kLongestText and NULL was written in its place; what was emitted must
  // not be run. (A dialect repeats operands to be total, so that text can double at every level.)
  static constexpr std::size_t kLongestText = std::size_t{1} << 16U;
  [[nodiscard]] bool too_long() const { return too_long_; }
  // SELECT ... AS c0, ... of the columns wanted.
  std::string select(const FlatSelect& flat, const std::vector<std::string>& columns);
  std::string fresh_alias();

 private:
  FlatSelect flatten_node(const Relation& relation, const Scan& node);
  FlatSelect flatten_node(const Relation& relation, const Product& node);
  FlatSelect flatten_node(const Relation& relation, const Project& node);
  FlatSelect flatten_node(const Relation& relation, const LeftJoin& node);
  FlatSelect flatten_node(const Relation& relation, const SemiJoin& node);
  FlatSelect flatten_node(const Relation& relation, const UnionAll& node);
  FlatSelect flatten_node(const Relation& relation, const UnitGroup& node);
  std::string any_expression(const Expression& expression, const std::vector<std::string>& columns);
  // A subselect under a fresh alias, with columns alias.c0, ...
  FlatSelect derived(const std::string& select, std::size_t columns);
  std::string plain_aggregate(const UnitGroup::Aggregate& aggregate,
                              const std::vector<std::string>& columns);

  const Dialect& dialect_;
  Numbers numbers_;
  int next_alias_ = 0;
  bool too_long_ = false;
};

// "WHERE a AND b", or nothing.
std::string where_clause(const std::vector<std::string>& conditions);
std::string join(const std::vector<std::string>& parts, std::string_view separator);

}  // namespace tacit::sql

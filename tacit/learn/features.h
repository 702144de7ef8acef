#pragma once

#include <string>
#include <vector>

#include "tacit/base/error.h"
#include "tacit/base/rational.h"
#include "tacit/data/engine.h"
#include "tacit/data/schema.h"

namespace tacit::learn {

// The columns that a model reads, and the SQL that brings each onto [-1, 1].

// A range that the asker names for a feature, before what is declared.
struct NamedRange {
  std::string feature;
  Rational lower;
  Rational upper;
};

// What a model is made from: rows of private SQL and expressions over them.
struct Rows {
  // A declared table, or a SELECT that gives a row for each row.
  std::string from;
  // Columns of it, or scalar expressions of private SQL.
  std::vector<std::string> columns;
  std::vector<NamedRange> ranges;
};

// A number of every row, known to lie between two bounds that do not come from the rows.
struct Feature {
  std::string name;  // as it was asked for
  std::string sql;
  double lower = 0;
  double upper = 0;

  [[nodiscard]] double middle() const { return lower / 2 + upper / 2; }
  [[nodiscard]] double half() const { return upper / 2 - lower / 2; }
  // From [-1, 1] to the feature's own range.
  [[nodiscard]] double from_unit(double value) const { return middle() + half() * value; }
};

// What stands behind FROM: the table's name, or the SELECT in parentheses with an alias.
Result<std::string> from_clause(const std::string& from, const Schema& schema);

// The name of a column as SQL text, where `from` is a table that has it; elsewhere as it is
// written.
std::string column_sql(const std::string& name, const std::string& from, const Schema& schema);

// The features of `rows`, with their ranges: those that are named, or else what `schema` declares,
// carried through expressions. Refuses what has no range, an empty one, or no name; reads no row.
Result<std::vector<Feature>> features_of(const Rows& rows, const Schema& schema, Engine& parser);

// A SELECT of u0, u1, ...: each feature brought onto [-1, 1], by clamping. Rows in which one of
// them is NULL, NaN or infinite are left out. `also` are further columns of the SELECT ("city AS
// label").
Result<std::string> unit_rows(const std::string& from, const std::vector<Feature>& features,
                              const Schema& schema, const std::vector<std::string>& also = {});

// A real as private SQL reads it back: a literal of type DOUBLE.
std::string real_literal(double value);

}  // namespace tacit::learn

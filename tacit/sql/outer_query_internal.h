#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tacit/mechanisms/release.h"
#include "tacit/sql/plan.h"
#include "tacit/sql/syntax.h"

namespace tacit::sql {

// The SELECT over released numbers, read for what its columns are made of.

// A column that holds half-widths, behind those that the query itself asks for.
struct Carrier {
  std::string name;
  IntervalKind kind = IntervalKind::kNone;
  [[nodiscard]] bool is_known() const { return kind != IntervalKind::kNone; }
};

struct OuterQuery;
using OuterQueries = std::map<std::string, OuterQuery*>;

// What FROM gives under one name: a released table, a subquery or CTE, or a public table.
struct Source {
  std::string alias;
  std::vector<std::string> names;
  const std::vector<AnswerPlan>* answers = nullptr;
  OuterQuery* query = nullptr;
  // Columns that USING merged with those of an earlier source.
  std::vector<std::string> merged;
};

// A SELECT, or what set operations make of several, whose columns all have different names.
struct OuterQuery {
  Json* syntax = nullptr;
  OuterQuery* parent = nullptr;
  OuterQueries ctes;
  std::vector<std::string> names;
  std::vector<Source> sources;
  std::vector<std::string> merged;    // by any USING
  std::vector<OuterQuery*> branches;  // of UNION ALL
  // Of a set operation that leaves rows out, which is read as SELECT ... FROM (it): a query whose
  // rows, by position, hold all of its rows.
  OuterQuery* origin = nullptr;
  bool is_grouped = false;  // or DISTINCT, which is a grouping by all columns
  bool is_closed = false;   // another column would change the rows
  std::map<std::size_t, Carrier> carriers;
};

// The place of a name among others, without regard to case.
std::optional<std::size_t> position_of(const std::vector<std::string>& names,
                                       std::string_view name);

// Reads query nodes and all below them, and rewrites them so that every * is written out and every
// column has a name of its own: then a column can be added without changing another. The tree and
// the plan must outlive the reader, which owns what it read.
class OuterReader {
 public:
  explicit OuterReader(const QueryPlan& plan) : plan_(plan) {}

  // Empty where the node has a form that this cannot be done to.
  OuterQuery* read(Json& syntax, OuterQuery* parent, const OuterQueries& ctes);
  // A name that nothing else has.
  std::string new_name(std::string_view what);

 private:
  OuterQuery* read_sides(OuterQuery& query);
  OuterQuery* read_from_origin(OuterQuery& query);
  OuterQuery* read_select(OuterQuery& query);
  bool read_ctes(OuterQuery& query);
  bool read_from(Json& from, OuterQuery& query);
  bool read_table(Json& from, OuterQuery& query);
  [[nodiscard]] const TableSchema* public_table(const std::string& name) const;
  bool read_join(Json& from, OuterQuery& query);
  bool read_subqueries(Json& node, OuterQuery& query);
  bool write_out_stars(OuterQuery& query);
  void name_columns(OuterQuery& query);

  const QueryPlan& plan_;
  std::deque<OuterQuery> queries_;
  std::deque<Json> origins_;
  std::size_t names_ = 0;
};

}  // namespace tacit::sql

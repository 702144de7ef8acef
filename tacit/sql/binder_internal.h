#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tacit/sql/bound.h"
#include "tacit/sql/scope_internal.h"

namespace tacit::sql {

// --- Expressions (bind_expression.cc, bind_function.cc)

// A row expression over the scope's columns. Refuses aggregates, windows, subqueries, stars and
// functions that are not on the list.
Result<ExpressionPtr> bind_expression(const Json& node, const Scope& scope, const QueryText& text);
// A condition: as above, of type boolean.
Result<ExpressionPtr> bind_condition(const Json& node, const Scope& scope, const QueryText& text);
// A function of the list (or an operator, by its sign) applied to bound arguments.
Result<ExpressionPtr> bind_function(const Json& node, std::vector<ExpressionPtr> arguments,
                                    const QueryText& text);
// `expression` as that type: a literal is read, anything else cast. Empty where there is no cast.
ExpressionPtr coerce(const ExpressionPtr& expression, const Type& type);
// The type in which all can be compared or chosen from; empty where there is none.
std::optional<Type> common_type(const std::vector<ExpressionPtr>& expressions);
// A CONSTANT node, or one behind casts and signs, as a number.
std::optional<Rational> constant_number(const Json& node);

// --- Aggregates (bind_aggregate.cc)

// The name is that of an aggregate function, of the list or not.
bool is_aggregate(const Json& node);
bool contains_aggregate(const Json& node);
bool contains_window(const Json& node);
// An aggregate of the list over the rows of `input`.
Result<Aggregate> bind_aggregate(const Json& node, const Relation& input, const Scope& scope,
                                 const QueryText& text);

// --- Rows (bind_rows.cc): FROM and WHERE

// Rows side by side under conditions, before it is settled whose they are.
struct Block {
  struct Input {
    RelationPtr relation;
    std::size_t offset = 0;
    // Where the input is nothing but a declared table.
    const TableSchema* table = nullptr;
    // A table whose unit is at the end of a path of keys that no join has walked yet.
    [[nodiscard]] bool pending() const {
      return table != nullptr && table->unit.kind == Unit::Kind::kPath;
    }
  };
  std::vector<Input> inputs;
  std::vector<ExpressionPtr> conditions;
  Scope scope;

  void add(RelationPtr relation, const std::string& name, const TableSchema* table);
  // All of `other` behind what is here.
  void add(const Block& other);
};

RelationPtr scan(const TableSchema& table);

// The block as one relation with the unit of its rows: walks paths of keys (joining parents where
// the query does not) and refuses rows that would belong to two units. `place` is for refusals.
Result<RelationPtr> settle(const Block& block, const Schema& schema, const Json& place,
                           const QueryText& text);
Result<RelationPtr> settle_left_join(const Block& left, const Block& right,
                                     const ExpressionPtr& condition, const Schema& schema,
                                     const Json& place, const QueryText& text);
// `conditions` are over the columns of left and right.
Result<RelationPtr> settle_semi_join(const RelationPtr& left, const Block& left_block,
                                     const Block& right, std::vector<ExpressionPtr> conditions,
                                     bool anti, const Schema& schema, const Json& place,
                                     const QueryText& text);

// Splits at top-level ANDs.
std::vector<Json> conjuncts(const Json& condition);
std::vector<ExpressionPtr> conjuncts(const ExpressionPtr& condition);

// The keys name the unit (or more), so that each group's rows belong to one unit. The columns they
// may use for it are the unit's own and those that the relation's conditions hold equal to them.
// Where so, the places among `keys` of the unit's columns, in the unit's order.
std::optional<std::vector<std::size_t>> unit_among(const Relation& relation,
                                                   const std::vector<ExpressionPtr>& keys);

// The input's unit columns carried along behind `columns`.
RelationPtr project(RelationPtr input, std::vector<ExpressionPtr> columns,
                    std::vector<std::string> names);

// --- Query nodes (bind_query.cc)

// What a query node turned out to be: rows, or a SELECT over released and public tables, or (for
// public tables alone) either.
struct BoundNode {
  RelationPtr rows;
  Json outer;
  [[nodiscard]] bool is_outer() const { return !outer.is_null(); }
};
using Ctes = std::map<std::string, BoundNode>;

class Binder {
 public:
  Binder(const Schema& schema, const QueryText& text) : schema_(schema), text_(text) {}

  Result<BoundQuery> bind(const Json& statement);

 private:
  // FROM: rows side by side, or a table expression over released and public tables, or either.
  struct From {
    std::optional<Block> rows;
    Json outer;
    [[nodiscard]] bool is_outer() const { return !outer.is_null(); }
  };
  // A grouped SELECT over rows.
  struct Grouping {
    RelationPtr input;
    const Scope* scope = nullptr;
    std::vector<ExpressionPtr> keys;
    std::vector<Json> key_nodes;
    std::vector<std::string> key_names;
    std::vector<Json> aggregate_nodes;
    std::vector<Json> select_list;
  };

  Result<BoundNode> bind_node(const Json& node, const Ctes& outer_ctes);
  Result<BoundNode> bind_set_operation(Json node, const Ctes& ctes);
  Result<BoundNode> bind_select(Json node, const Ctes& ctes);
  Result<Ctes> bind_ctes(Json& node, const Ctes& outer_ctes);

  Result<From> bind_from(const Json& from, const Ctes& ctes);
  Result<From> bind_table(const Json& from, const Ctes& ctes);
  Result<From> bind_derived(const Json& from, const Ctes& ctes);
  Result<From> bind_join(const Json& from, const Ctes& ctes);
  Result<From> join_rows(const Json& from, Block left, Block right);

  Result<RelationPtr> bind_where(const Json& node, Block block, const Ctes& ctes);
  Result<RelationPtr> bind_semi_join(const Json& condition, bool anti, const RelationPtr& left,
                                     const Block& left_block, const Ctes& ctes);

  // SELECT over rows.
  Result<BoundNode> select_rows(const Json& node, RelationPtr input, const Scope& scope);
  Result<Grouping> group(const Json& node, RelationPtr input, const Scope& scope);
  Result<BoundNode> select_units(const Json& node, Grouping& grouping,
                                 const std::vector<std::size_t>& unit);
  Result<BoundNode> select_aggregates(Json node, Grouping& grouping, const Ctes& ctes);
  // The node with keys and aggregates replaced by references to key_I and value_J.
  Result<Json> rewrite(const Json& node, Grouping& grouping, const Ctes& ctes);
  Result<Json> rewrite_column(const Json& node, const Grouping& grouping);

  // SELECT over released and public tables.
  Result<BoundNode> select_outer(Json node, Json from, const Ctes& ctes);
  // An expression over released columns: subqueries in it are bound in turn.
  Result<void> bind_outer_expression(Json& node, const Ctes& ctes);

  const Schema& schema_;
  const QueryText& text_;
  BoundQuery query_;
};

}  // namespace tacit::sql

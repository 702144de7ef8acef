#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tacit/data/schema.h"
#include "tacit/sql/expression.h"

namespace tacit::sql {

class Relation;
using RelationPtr = std::shared_ptr<const Relation>;

// A declared table, all its columns in the order of the schema. With `numbered` a last column
// numbers the rows: the unit where each row is one.
struct Scan {
  const TableSchema* table = nullptr;
  bool numbered = false;
};
// The rows of the inputs side by side (their columns one after another) that meet all conditions:
// inner joins and WHERE. With one input, a filter.
struct Product {
  std::vector<RelationPtr> inputs;
  std::vector<ExpressionPtr> conditions;
};
struct Project {
  RelationPtr input;
  std::vector<ExpressionPtr> columns;
};
// Every row of the left, beside each row of the right that meets the condition, or beside NULLs.
struct LeftJoin {
  RelationPtr left;
  RelationPtr right;
  ExpressionPtr condition;
};
// The rows of the left for which some row of the right meets the condition (over the columns of
// both), or none where `anti`.
struct SemiJoin {
  RelationPtr left;
  RelationPtr right;
  ExpressionPtr condition;
  bool anti = false;
};
struct UnionAll {
  std::vector<RelationPtr> inputs;
};
// Plain aggregates of rows of one group. Only where a group's rows all belong to one unit.
enum class PlainAggregate : std::uint8_t {
  kCountRows,
  kCount,
  kCountDistinct,
  kSum,
  kMin,
  kMax,
  kAverage
};
struct UnitGroup {
  struct Aggregate {
    PlainAggregate function;
    ExpressionPtr argument;  // empty for kCountRows
    ExpressionPtr filter;    // may be empty
  };
  RelationPtr input;
  // Among them the unit's columns.
  std::vector<ExpressionPtr> keys;
  std::vector<Aggregate> aggregates;
};

struct RelationColumn {
  std::string name;  // empty: carried along for the unit, not visible to SQL
  Type type;
  Facts facts;
};

// Rows, each belonging to at most one privacy unit. Immutable and shared.
class Relation {
 public:
  using Node = std::variant<Scan, Product, Project, LeftJoin, SemiJoin, UnionAll, UnitGroup>;

  Relation(Node node, std::vector<RelationColumn> columns, std::vector<std::size_t> unit)
      : node_(std::move(node)), columns_(std::move(columns)), unit_(std::move(unit)) {}

  [[nodiscard]] const Node& node() const { return node_; }
  [[nodiscard]] const std::vector<RelationColumn>& columns() const { return columns_; }
  // The columns that name the unit; none: the rows are public.
  [[nodiscard]] const std::vector<std::size_t>& unit() const { return unit_; }
  [[nodiscard]] bool is_private() const { return !unit_.empty(); }

 private:
  Node node_;
  std::vector<RelationColumn> columns_;
  std::vector<std::size_t> unit_;
};

// The unit is a row's number, which is no name that lasts: another row's number may change when a
// row goes.
bool has_numbered_scan(const Relation& relation);

}  // namespace tacit::sql

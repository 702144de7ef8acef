#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "tacit/base/rational.h"
#include "tacit/data/function.h"
#include "tacit/data/schema.h"
#include "tacit/data/table.h"
#include "tacit/data/type.h"

namespace tacit::sql {

// What is publicly known of the values of an expression. Nothing here is trusted of rows: whatever
// privacy rests on is enforced on the value itself (a clamp, a list of keys).
struct Facts {
  // The range the values are expected in; a sum clamps to it.
  std::optional<Rational> lower;
  std::optional<Rational> upper;
  // All values it can have, where they are few and known; never holds NULL.
  std::optional<std::vector<Cell>> values;
  // NULL is expected among its values: where they are public keys, it is one of its own.
  bool nulls = false;
  // It is this column of this public table, so its values there are public keys.
  // `occurrence` tells two mentions of a table in one query apart.
  struct PublicColumn {
    const TableSchema* table = nullptr;
    std::size_t column = 0;
    std::shared_ptr<const char> occurrence;
  };
  std::optional<PublicColumn> public_column;
};

class Expression;
using ExpressionPtr = std::shared_ptr<const Expression>;

// A column of the relation that the expression is evaluated over.
struct ColumnReference {
  std::size_t column = 0;
  bool operator==(const ColumnReference&) const = default;
};
struct Literal {
  Cell value;
  bool operator==(const Literal&) const = default;
};
struct Call {
  Function function;
  std::vector<ExpressionPtr> arguments;
};
// CASE WHEN condition THEN value ... ELSE otherwise END; without otherwise NULL.
struct Case {
  std::vector<std::pair<ExpressionPtr, ExpressionPtr>> branches;
  ExpressionPtr otherwise;
};
// To the expression's own type; NULL where the value does not fit.
struct Cast {
  ExpressionPtr operand;
};

// A typed scalar expression over the columns of one relation. Immutable, shared, deterministic and
// total: it has a value or NULL on every row.
class Expression {
 public:
  using Node = std::variant<ColumnReference, Literal, Call, Case, Cast>;

  Expression(Type type, Facts facts, Node node);

  [[nodiscard]] const Type& type() const { return type_; }
  [[nodiscard]] const Facts& facts() const { return facts_; }
  [[nodiscard]] const Node& node() const { return node_; }
  // The number of nodes when shared parts are counted as often as they occur, as whoever walks the
  // expression meets them; saturated.
  [[nodiscard]] std::uint64_t weight() const { return weight_; }

 private:
  Type type_;
  Facts facts_;
  Node node_;
  std::uint64_t weight_;
};

// Structural: the same tree over the same columns.
bool same(const Expression& a, const Expression& b);
// Both absent, or both there and the same.
bool same(const ExpressionPtr& a, const ExpressionPtr& b);

// The column an expression is, where it is nothing but one.
std::optional<std::size_t> as_column(const Expression& expression);

// Every column that the expression reads, with repeats.
std::vector<std::size_t> columns_of(const Expression& expression);

// The expression with each column reference c replaced by replacements[c].
ExpressionPtr substitute(const ExpressionPtr& expression,
                         const std::vector<ExpressionPtr>& replacements);

// The value of a number or date as a rational: for ranges. Empty for NULL and other types.
std::optional<Rational> as_rational(const Cell& value, const Type& type);

// `literal` of a type; facts follow from the value.
ExpressionPtr make_literal(Cell value, Type type);
// Facts follow from the arguments: ranges by interval arithmetic, values where they are few.
ExpressionPtr make_call(Function function, std::vector<ExpressionPtr> arguments, Type type);
ExpressionPtr make_case(Case parts, Type type);
ExpressionPtr make_cast(ExpressionPtr operand, Type type);

}  // namespace tacit::sql

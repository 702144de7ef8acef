#pragma once

#include <optional>
#include <set>

#include "tacit/base/rational.h"
#include "tacit/data/function.h"
#include "tacit/data/table.h"
#include "tacit/data/type.h"

namespace tacit::sql {

// Values of one type that a condition admits: a list, or a range of numbers or dates; and NULL or
// not. It may hold more than the condition admits, never less.
class ValueSet {
 public:
  static ValueSet of(std::set<Cell> values);
  static ValueSet null();
  static ValueSet not_null();
  // The x for which `x comparison bound` is true, of numbers and dates; NaN is above all others.
  static std::optional<ValueSet> range(Function comparison, const Cell& bound, const Type& type);

  // No value is in both. Both hold values of `type`.
  [[nodiscard]] bool disjoint_from(const ValueSet& other, const Type& type) const;

 private:
  struct End {
    Rational value;
    bool included = true;
  };

  [[nodiscard]] bool in_range(const Cell& value, const Type& type) const;
  [[nodiscard]] bool ends_before(const ValueSet& other) const;

  bool null_ = false;
  std::optional<std::set<Cell>> values_;  // where given, nothing else
  std::optional<End> lower_;
  std::optional<End> upper_;
};

}  // namespace tacit::sql

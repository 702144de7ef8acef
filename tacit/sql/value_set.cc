#include <algorithm>
#include <utility>

#include "tacit/sql/expression.h"
#include "tacit/sql/value_set_internal.h"

namespace tacit::sql {

ValueSet ValueSet::of(std::set<Cell> values) {
  ValueSet out;
  out.values_ = std::move(values);
  return out;
}

ValueSet ValueSet::null() {
  ValueSet out = of({});
  out.null_ = true;
  return out;
}

ValueSet ValueSet::not_null() { return {}; }

std::optional<ValueSet> ValueSet::range(Function comparison, const Cell& bound, const Type& type) {
  const auto end = as_rational(bound, type);
  if (!end) return std::nullopt;
  ValueSet out;
  switch (comparison) {
    case Function::kLess:
    case Function::kLessEqual:
      out.upper_ = End{*end, comparison == Function::kLessEqual};
      return out;
    case Function::kGreater:
    case Function::kGreaterEqual:
      out.lower_ = End{*end, comparison == Function::kGreaterEqual};
      return out;
    default:
      return std::nullopt;
  }
}

// A value that cannot be placed, such as a text, may be anywhere.
bool ValueSet::in_range(const Cell& value, const Type& type) const {
  if (!lower_ && !upper_) return true;
  const auto number = as_rational(value, type);
  if (!number) return true;
  if (lower_ && (*number < lower_->value || (*number == lower_->value && !lower_->included))) {
    return false;
  }
  return !upper_ || *number < upper_->value || (*number == upper_->value && upper_->included);
}

bool ValueSet::ends_before(const ValueSet& other) const {
  if (!upper_ || !other.lower_) return false;
  return upper_->value < other.lower_->value ||
         (upper_->value == other.lower_->value && !(upper_->included && other.lower_->included));
}

bool ValueSet::disjoint_from(const ValueSet& other, const Type& type) const {
  if (null_ && other.null_) return false;
  if (values_) {
    return std::ranges::none_of(*values_, [&](const Cell& value) {
      return other.values_ ? other.values_->contains(value) : other.in_range(value, type);
    });
  }
  if (other.values_) return other.disjoint_from(*this, type);
  return ends_before(other) || other.ends_before(*this);
}

}  // namespace tacit::sql

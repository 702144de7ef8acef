#pragma once

#include <cstddef>
#include <memory>

#include "tacit/anonymize/criteria/criterion.h"
#include "tacit/anonymize/hierarchy.h"

namespace tacit::anonymize {

// The distribution of a sensitive column in each class is within t of that in the original table,
// by the earth mover's distance (Li, Li and Venkatasubramanian, 2007). What differs is how far
// apart two values are.

// All are 1 apart.
std::unique_ptr<Criterion> equal_closeness(const Records& records, std::size_t column, double t);
// By their places in the order of the values' numbers, the first and the last being 1 apart.
std::unique_ptr<Criterion> ordered_closeness(const Records& records, std::size_t column, double t);
// By the lowest level at which they are one, over the number of levels above the leaves. The values
// are the hierarchy's leaves, and its top level has one value.
std::unique_ptr<Criterion> hierarchical_closeness(const Records& records, std::size_t column,
                                                  double t, const Hierarchy& hierarchy);

}  // namespace tacit::anonymize

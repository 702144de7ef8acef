#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tacit/anonymize/hierarchy.h"
#include "tacit/anonymize/hierarchy_rule.h"
#include "tacit/anonymize/policy.h"
#include "tacit/base/error.h"

namespace tacit::anonymize {

// The values of a sensitive column in the order that the policy gives; where it gives none, numbers
// by value where all are numbers, else texts by their bytes. Refuses a value that the order lacks.
Result<std::vector<std::string>> in_order(const ColumnPolicy& column,
                                          const std::vector<Value>& values);

// The hierarchy of these values, whose leaves are in their order. Refuses one that does not end in
// a value for all: distances would not be defined.
Result<std::shared_ptr<const Hierarchy>> taxonomy_of(const ColumnPolicy& column,
                                                     const std::vector<std::string>& values);

}  // namespace tacit::anonymize

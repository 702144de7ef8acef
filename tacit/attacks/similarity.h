#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tacit/anonymize/hierarchy.h"
#include "tacit/anonymize/policy.h"
#include "tacit/attacks/released_table.h"
#include "tacit/attacks/report.h"
#include "tacit/base/error.h"

namespace tacit::attacks {

// The similarity attack (Li, Li and Venkatasubramanian, 2007): the values of a class differ, but
// all say much the same.
//
// By a taxonomy of the sensitive column: a success is a person whose class's values all lie under
// one node of a level. The node is known for certain; the baseline is the share of the most
// frequent node. Refused where the taxonomy lacks a value or the level joins all values.
Result<Report> similarity(const ReleasedTable& release, std::size_t sensitive,
                          const anonymize::Hierarchy& taxonomy, std::size_t level);

// The taxonomy that the policy gives a sensitive column; nothing where it gives none.
Result<std::optional<anonymize::Hierarchy>> taxonomy_of(const ReleasedTable::Column& column,
                                                        const anonymize::Policy& policy);

// By closeness of numbers: a success is a person whose class's numbers all lie within an interval
// of this width, which is then known for certain. The baseline is the share of the interval of that
// width with the most rows. Missing values are no numbers: a class that has one is no success.
// Refused where other values are no numbers.
Result<Report> closeness(const ReleasedTable& release, std::size_t sensitive, double width);

// The least and the greatest number of a sensitive column; nothing where values are no numbers.
struct NumberRange {
  double least = 0;
  double greatest = 0;
};
std::optional<NumberRange> number_range(const ReleasedTable& release, std::size_t sensitive);

}  // namespace tacit::attacks

#pragma once

#include <optional>
#include <vector>

#include "tacit/sql/syntax.h"

namespace tacit::sql {

// Aggregates of released numbers, in groups or over windows: how far the noise of their arguments
// moves them. All widths are approximate, and suppose independent noise.

// What it aggregates: its arguments, or what WITHIN GROUP orders by.
Json arguments_of(const Json& aggregate);

// The half-width of an aggregate whose arguments_of have these, null where an argument has no
// noise:
// - of a sum the root of the sum of squares, of an average that divided by how many;
// - of a least, a middle or a greatest number the widest, widened so that all hold at once;
// - of the number of a row that was chosen its own;
// - of a deviation the deviation that the noise itself may have, since deviations are norms;
// - of a product, a geometric mean and a covariance the delta method with the slope.
// Empty for aggregates that none is known for, and where no argument has noise.
std::optional<Json> noisy_aggregate_half_width(const Json& aggregate,
                                               const std::vector<Json>& half_widths,
                                               double confidence);

// The aggregate gives the number of one row as it is.
bool chooses_a_row(const Json& aggregate);

// The same number in terms of aggregates that the above knows: a correlation as a covariance over
// deviations, a slope as a covariance over a variance.
std::optional<Json> in_simpler_aggregates(const Json& aggregate);

}  // namespace tacit::sql

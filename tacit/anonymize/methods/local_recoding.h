#pragma once

#include <optional>
#include <span>
#include <vector>

#include "tacit/anonymize/criteria/criterion.h"
#include "tacit/anonymize/hierarchy.h"
#include "tacit/anonymize/lattice.h"
#include "tacit/anonymize/methods/partition.h"
#include "tacit/anonymize/records.h"

namespace tacit::anonymize {

// Starts with the classes of a global recoding and lets rows show more wherever the criteria allow
// it: a class is cut along a hierarchy into the values of the next lower level, of which those that
// cannot stand alone stay together as they were. So no cell shows less than at the node, and all
// criteria hold. Records that are not kept leave the table.
//
// Nothing where the classes of the node break the criteria.
std::optional<Partition> recode_locally(const Records& records,
                                        std::span<const Hierarchy> hierarchies,
                                        const Criteria& criteria, const Node& node,
                                        const std::vector<bool>& is_kept);

// The same from the whole table as one class whose cells are all missing, where a cell shows a
// value or nothing: single cells are suppressed, and no rows.
std::optional<Partition> suppress_cells(const Records& records,
                                        std::span<const Hierarchy> hierarchies,
                                        const Criteria& criteria);

}  // namespace tacit::anonymize

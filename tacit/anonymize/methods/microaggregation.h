#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "tacit/anonymize/criteria/criterion.h"
#include "tacit/anonymize/hierarchy.h"
#include "tacit/anonymize/methods/partition.h"
#include "tacit/anonymize/records.h"

namespace tacit::anonymize {

// What stands for the numbers of a group.
enum class Center : std::uint8_t { kMean, kMedian };

// Asked before each pair of groups whether to go on: which part is done of the whole.
using MicroaggregationWatch = std::function<bool(std::uint64_t done, std::uint64_t whole)>;

// Groups of rows that are near each other, just large enough to satisfy the criteria on classes,
// show one center: of numbers the mean or median, of texts the most frequent. MDAV, the maximum
// distance to the average vector (Domingo-Ferrer and Mateo-Sanz, 2002), in the form for mixed
// columns (Domingo-Ferrer and Torra, 2005): numbers count by their distance in standard deviations,
// texts by whether they differ. The rows of a record stay together. Takes a time that grows with
// the square of the number of records.
//
// Nothing where not even the whole table as one group satisfies the criteria, the groups break one
// on the table, or `watch` ended it: what is grouped by then is no table.
std::optional<Partition> microaggregate(const Records& records,
                                        std::span<const Hierarchy> hierarchies,
                                        const Criteria& criteria, Center center,
                                        const MicroaggregationWatch& watch = {});

}  // namespace tacit::anonymize

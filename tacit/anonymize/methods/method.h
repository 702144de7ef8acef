#pragma once

#include <optional>
#include <vector>

#include "tacit/anonymize/criteria/criterion.h"
#include "tacit/anonymize/method_rule.h"
#include "tacit/anonymize/methods/axis.h"
#include "tacit/anonymize/methods/microaggregation.h"
#include "tacit/anonymize/methods/partition.h"
#include "tacit/anonymize/microdata.h"

namespace tacit::anonymize {

// The directions in which Mondrian cuts a table. Along the hierarchy where it is a file, a mask or
// prefixes; else in the order of the values: numbers, dates, the order that was given, or the
// alphabet. The data must outlive them.
std::vector<Axis> mondrian_axes(const Microdata& data);

// The table cut into classes that satisfy the criteria, by a method that starts from the whole.
// Nothing where not even the whole table as one class does, the method starts from elsewhere, or
// `watch` ended it (microaggregation asks; the others are done before anybody would).
std::optional<Partition> partition_by(const MethodRule& method, const Microdata& data,
                                      const Criteria& criteria,
                                      const MicroaggregationWatch& watch = {});

}  // namespace tacit::anonymize

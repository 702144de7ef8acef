#pragma once

#include <string>
#include <vector>

#include "tacit/data/dialect.h"
#include "tacit/sql/emit.h"
#include "tacit/sql/plan.h"

namespace tacit::sql {

// Parts that the statements about an aggregation have in common.

// "1, 2, 3"
std::string places(std::size_t count);
// "c0", "c1", ...
std::vector<std::string> numbered_columns(std::size_t count);

// The refusal of a statement that is too long.
std::unexpected<Error> too_long_to_write();

// Conditions that leave out the rows whose unit is NULL: they belong to nobody.
std::vector<std::string> of_somebody(const Aggregation& aggregation, const FlatSelect& flat);

// Conditions that leave out groups which public keys do not list, where the lists are short. `keys`
// are the texts of the keys.
std::vector<std::string> of_listed_keys(const Aggregation& aggregation, const AggregationPlan& plan,
                                        const std::vector<std::string>& keys,
                                        const Dialect& dialect);

}  // namespace tacit::sql

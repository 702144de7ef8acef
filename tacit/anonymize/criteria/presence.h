#pragma once

#include <cstdint>
#include <memory>

#include "tacit/anonymize/criteria/criterion.h"

namespace tacit::anonymize {

// Criteria on a table that is a part of a known population; the records must have one.

// Every row looks like at least k people of the population, in the table or not (Sweeney, 2002).
std::unique_ptr<Criterion> k_map(std::uint64_t k);

// Whoever is in the population cannot be told to be in the table, or not to be, with more than some
// certainty: in each class the part of its people who are in the published table is between `least`
// and `most` (Nergiz, Atzori and Clifton, 2007). Suppression helps against `most` alone: where
// `least` is above 0, a class whose rows are suppressed breaks it, and the node fails.
void add_delta_presence(Criteria& criteria, double least, double most);

}  // namespace tacit::anonymize

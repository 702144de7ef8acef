#pragma once

#include <cstddef>
#include <memory>

#include "tacit/anonymize/criteria/criterion.h"

namespace tacit::anonymize {

// For each value of a sensitive column that the original table has, |log2(p/q)| < delta, where p is
// its share in a class and q that in the table (Brickell and Shmatikov, 2008). A value that a class
// lacks breaks it.
std::unique_ptr<Criterion> delta_disclosure(const Records& records, std::size_t column,
                                            double delta);

}  // namespace tacit::anonymize

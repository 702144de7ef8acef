#pragma once

#include <cstddef>
#include <memory>

#include "tacit/anonymize/criteria/criterion.h"

namespace tacit::anonymize {

// No value of a sensitive column gains much in a class over its share q in the original table: its
// share there is at most (1 + beta) q (Cao and Karras, 2012). Shares may fall.
std::unique_ptr<Criterion> basic_likeness(const Records& records, std::size_t column, double beta);
// At most (1 + min(beta, -ln q)) q, which bounds frequent values more tightly.
std::unique_ptr<Criterion> enhanced_likeness(const Records& records, std::size_t column,
                                             double beta);

}  // namespace tacit::anonymize

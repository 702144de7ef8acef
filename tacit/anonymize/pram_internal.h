#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "tacit/anonymize/column_change.h"
#include "tacit/base/error.h"

namespace tacit::anonymize {

// Refuses a rule whose bounds do not hold for a column with values that stand in so many rows each.
// The error says which probability would do.
Result<void> check_amplification(const rule::Pram& rule, std::span<const std::uint64_t> rows,
                                 const std::string& column, const std::string& place);

}  // namespace tacit::anonymize

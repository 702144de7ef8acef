#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tacit/base/error.h"
#include "tacit/data/table.h"

namespace tacit::sql {

// Released tables as the ledger keeps them on record: JSON, in which every number is exact.

std::string to_record(const std::vector<Table>& released);
// Refuses (kWorld) what to_record did not write.
Result<std::vector<Table>> from_record(std::string_view record);

}  // namespace tacit::sql

#pragma once

#include <string>
#include <string_view>

#include "tacit/base/error.h"
#include "tacit/sql/release.h"

namespace tacit::sql {

// A release as the ledger keeps it on record: JSON, in which every number is exact.

std::string to_record(const Release& released);
// Refuses (kWorld) what to_record did not write.
Result<Release> from_record(std::string_view record);

}  // namespace tacit::sql

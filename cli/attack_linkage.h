#pragma once

#include <cstddef>
#include <string>

#include "tacit/attacks/report.h"
#include "tacit/base/error.h"

namespace tacit::cli {

// Links a release to an outside table by the quasi-identifiers of a policy, both files. `truth` is
// a column that tells whose a row is, or empty.
Result<attacks::Report> linkage_report(const std::string& release, const std::string& outside,
                                       const std::string& policy, const std::string& truth,
                                       std::size_t victims);

}  // namespace tacit::cli

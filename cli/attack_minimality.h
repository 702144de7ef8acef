#pragma once

#include <string>

#include "tacit/anonymize/policy.h"
#include "tacit/attacks/minimality.h"
#include "tacit/attacks/released_table.h"
#include "tacit/attacks/report.h"
#include "tacit/base/error.h"

namespace tacit::cli {

// Tries the minimality attack on a release that was made from the original by the policy; refuses
// one that is not its best recoding.
struct MinimalityOutcome {
  std::string column;
  attacks::Report report;
};
Result<MinimalityOutcome> try_minimality(const attacks::ReleasedTable& release,
                                         const std::string& original,
                                         const anonymize::Policy& policy,
                                         const attacks::MinimalityOptions& options);

}  // namespace tacit::cli

#pragma once

#include <string>

#include "cli/command.h"
#include "cli/release_entry.h"
#include "tacit/anonymize/policy.h"
#include "tacit/base/error.h"

namespace tacit::cli {

// Publishes a table under a policy that asks for differential privacy: charged to the ledger before
// a row is read, and reported without a word of the original.
Result<void> publish_privately(const std::string& file, const std::string& output,
                               const std::string& who, const anonymize::Policy& policy,
                               ReleaseEntry& entry, Session& session);

}  // namespace tacit::cli

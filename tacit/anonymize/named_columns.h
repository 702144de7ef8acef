#pragma once

#include "tacit/anonymize/policy.h"
#include "tacit/anonymize/source_file.h"
#include "tacit/base/error.h"

namespace tacit::anonymize {

// Refuses a file that lacks a column of the policy, or has one that the policy does not name: what
// nobody thought of is not published.
Result<void> check_columns(const SourceFile& source, const Policy& policy);

// The policy for a table that was published under it: identifiers that are not there were dropped,
// and values are compared as they are.
Policy for_published(Policy policy, const SourceFile& source);

}  // namespace tacit::anonymize

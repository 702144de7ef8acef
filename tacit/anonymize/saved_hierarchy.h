#pragma once

#include <filesystem>
#include <string>

#include "tacit/anonymize/hierarchy.h"
#include "tacit/anonymize/policy.h"
#include "tacit/base/error.h"
#include "tacit/data/engine.h"

namespace tacit::anonymize {

// The hierarchy that a policy's rule makes of the values that a column of the file has. Refuses a
// column that the policy gives none. For the steward: it shows every value.
Result<Hierarchy> hierarchy_of(Engine& engine, const std::filesystem::path& file,
                               const Policy& policy, const std::string& column);

// A line for each value, then what it becomes level by level: what a policy's {file = "..."} reads,
// and ARX.
std::string to_csv(const Hierarchy& hierarchy, char delimiter = ';');

}  // namespace tacit::anonymize

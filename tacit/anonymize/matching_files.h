#pragma once

#include <filesystem>
#include <vector>

#include "tacit/base/error.h"

namespace tacit::anonymize {

// Whether a name stands for several files: it has a wildcard (*, ? or [...]), and no file is
// called so.
bool is_pattern(const std::filesystem::path& name);

// The files that a pattern stands for, by name, at least one; or the one that is named.
Result<std::vector<std::filesystem::path>> matching_files(const std::filesystem::path& name);

// Whether a file is, or would be, one of those that the name stands for.
bool is_matched(const std::filesystem::path& name, const std::filesystem::path& file);

}  // namespace tacit::anonymize

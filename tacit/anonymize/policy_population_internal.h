#pragma once

#include <filesystem>

#include "tacit/anonymize/policy.h"
#include "tacit/base/toml_reader_internal.h"

namespace tacit::anonymize {

// Reads [population] into a policy whose criteria are known: the table that k_map and
// delta_presence speak of. Its path starts at `folder`.
Result<void> read_population(const TomlReader& reader, const toml::table& root,
                             const std::filesystem::path& folder, Policy& policy);

}  // namespace tacit::anonymize

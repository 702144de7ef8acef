#pragma once

#include "tacit/anonymize/policy.h"
#include "tacit/base/toml_reader_internal.h"

namespace tacit::anonymize {

// Whether the file asks for a differentially private table: [privacy] has 'differential'.
bool is_differential(const toml::table& root);

// Reads the rest of such a file into a policy whose columns are known. Refuses all else that a
// policy may say and for which nothing is proved.
Result<void> read_differential(const TomlReader& reader, const toml::table& root, Policy& policy);

}  // namespace tacit::anonymize

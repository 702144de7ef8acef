#pragma once

#include <toml++/toml.h>

#include "tacit/anonymize/policy.h"
#include "tacit/base/error.h"
#include "tacit/base/toml_reader_internal.h"

namespace tacit::anonymize {

// The section [method]; global recoding of all rows where there is none.
Result<void> read_method(const TomlReader& reader, const toml::table& root, Policy& policy);

}  // namespace tacit::anonymize

#pragma once

#include <toml++/toml.h>

#include "tacit/anonymize/method_rule.h"
#include "tacit/base/error.h"
#include "tacit/ledger/workspace_toml_internal.h"

namespace tacit::anonymize {

// The section [method] of a policy; global recoding where there is none.
Result<MethodRule> read_method(const TomlReader& reader, const toml::table& root);

}  // namespace tacit::anonymize

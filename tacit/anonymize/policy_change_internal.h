#pragma once

#include <toml++/toml.h>

#include "tacit/anonymize/column_change.h"
#include "tacit/base/error.h"
#include "tacit/base/toml_reader_internal.h"

namespace tacit::anonymize {

// What a column's table says is to be done to its values.
Result<ColumnChange> read_change(const TomlReader& reader, const toml::table& from);

}  // namespace tacit::anonymize

#pragma once

#include <cstddef>
#include <vector>

#include "tacit/anonymize/criterion_rule.h"
#include "tacit/base/toml_reader_internal.h"

namespace tacit::anonymize {

// What [privacy] asks of the table as a whole; `suppression` is read elsewhere.
Result<void> read_table_criteria(const TomlReader& reader, const toml::table& from,
                                 std::vector<CriterionRule>& out);
// The value of 'criteria' of a sensitive column, which is at that place among the sensitive ones.
Result<void> read_column_criteria(const TomlReader& reader, const toml::node& node,
                                  std::size_t column, std::vector<CriterionRule>& out);

}  // namespace tacit::anonymize

#pragma once

#include <filesystem>

#include "tacit/anonymize/hierarchy_rule.h"
#include "tacit/base/toml_reader_internal.h"

namespace tacit::anonymize {

// The value of 'hierarchy' in a policy file, which lies in `folder`.
Result<HierarchyRule> read_hierarchy_rule(const TomlReader& reader, const toml::node& node,
                                          const std::filesystem::path& folder);

}  // namespace tacit::anonymize

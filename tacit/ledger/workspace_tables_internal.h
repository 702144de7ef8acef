#pragma once

#include <string>

#include "tacit/ledger/workspace_tables.h"
#include "tacit/ledger/workspace_toml_internal.h"

namespace tacit {

// The part of [datasets.NAME] that is about its rows: engine, max_groups, max_rows and tables.
Result<DeclaredData> read_data(const TomlReader& reader, const toml::table& dataset,
                               std::string_view dataset_name);

// The lines of the dataset's own section, and the sections of its tables; `title` is
// "datasets.NAME". Empty where all is left to the defaults.
std::string data_lines(const DeclaredData& data);
std::string table_sections(const DeclaredData& data, const std::string& title);

}  // namespace tacit

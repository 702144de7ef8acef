#pragma once

#include <string>

#include "tacit/base/toml_reader_internal.h"
#include "tacit/ledger/workspace_tables.h"

namespace tacit {

// Refuses what cannot be the name of `kind`, "a dataset", where it stands in the file.
Result<void> check_declared_name(const TomlReader& reader, const toml::source_region& source,
                                 std::string_view name, std::string_view kind);

// The part of [datasets.NAME] that is about its rows: engine, max_groups, max_rows and tables.
Result<DeclaredData> read_data(const TomlReader& reader, const toml::table& dataset,
                               std::string_view dataset_name);

// The lines of the dataset's own section, and the sections of its tables; `title` is
// "datasets.NAME". Empty where all is left to the defaults.
std::string data_lines(const DeclaredData& data);
std::string table_sections(const DeclaredData& data, const std::string& title);

}  // namespace tacit

#include <algorithm>

#include "tacit/anonymize/policy_population_internal.h"

namespace tacit::anonymize {

Result<void> read_population(const TomlReader& reader, const toml::table& root,
                             const std::filesystem::path& folder, Policy& policy) {
  TACIT_ASSIGN_OR_RETURN(const toml::table* const section, reader.table(root, "population"));
  const bool is_needed = std::ranges::any_of(policy.criteria, needs_population);
  if (section == nullptr) {
    if (!is_needed) return {};
    return bad_input("'k_map' and 'delta_presence' need a table of the population",
                     reader.place(root.get("privacy")->source()),
                     "write a section [population] with file = \"census.csv\"");
  }
  TACIT_RETURN_IF_ERROR(reader.only_keys(*section, "[population]", {"file"}));
  const toml::node* const file = section->get("file");
  if (file == nullptr || !is_needed) {
    return reader.refuse(
        *section,
        file == nullptr ? "[population] names no file" : "no criterion speaks of the population",
        "write file = \"census.csv\" there, and k_map = 5 in [privacy]");
  }
  // What a class has of the population is known where all of the table is made coarser alike.
  if (const toml::node* const method = root.get("method")) {
    return reader.refuse(*method, "a population goes with global recoding alone",
                         "take out [method], or [population] with its criteria");
  }
  const auto changed = std::ranges::find_if(policy.columns, [](const ColumnPolicy& column) {
    return column.role == Role::kQuasiIdentifier && !column.change.is_none();
  });
  if (changed != policy.columns.end()) {
    return bad_input("the values of '" + changed->name +
                         "' are changed, so that they cannot be found in the population",
                     changed->place, "leave them as they are, or take out [population]");
  }
  TACIT_ASSIGN_OR_RETURN(const std::string name, reader.text(*file, "file", "census.csv"));
  policy.population = folder / name;
  return {};
}

}  // namespace tacit::anonymize

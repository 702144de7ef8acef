#include "cli/init_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "cli/ledger_text.h"
#include "tacit/data/dataset.h"
#include "tacit/data/engine.h"

namespace tacit::cli {
namespace {

Result<std::pair<std::string, std::string>> split_at_equals(const std::string& text,
                                                            const std::string& option,
                                                            const std::string& example) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    return bad_input(fmt::format("'{}' says nothing", printable(text)), option,
                     "for example: " + example);
  }
  return std::pair(text.substr(0, equals), text.substr(equals + 1));
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == at) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

// "row", "public", "person", "person,day", or "order_id:orders.id": a column, and the key of
// another table that it names.
Result<DeclaredUnit> unit_of(const std::string& text) {
  if (text == "row") return DeclaredUnit{.kind = DeclaredUnit::Kind::kRow};
  if (text == "public") return DeclaredUnit{.kind = DeclaredUnit::Kind::kPublic};
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) {
    return DeclaredUnit{.kind = DeclaredUnit::Kind::kColumns, .columns = split(text, ',')};
  }
  const std::string target = text.substr(colon + 1);
  const std::size_t dot = target.find('.');
  if (dot == std::string::npos) {
    return bad_input(fmt::format("'{}' does not name a key of another table", printable(text)),
                     "--unit", "for example: --unit items=order_id:orders.id");
  }
  return DeclaredUnit{.kind = DeclaredUnit::Kind::kPath,
                      .columns = {text.substr(0, colon)},
                      .table = target.substr(0, dot),
                      .keys = {target.substr(dot + 1)}};
}

Result<DeclaredUnit> unit_for(const std::string& table, const TableOptions& options) {
  for (const std::string& text : options.units) {
    TACIT_ASSIGN_OR_RETURN(const auto unit,
                           split_at_equals(text, "--unit", "--unit visits=person"));
    if (unit.first == table) return unit_of(unit.second);
  }
  return bad_input(fmt::format("whose are the rows of '{}'?", printable(table)), "--unit",
                   fmt::format("say --unit {0}=COLUMN, {0}=row or {0}=public", printable(table)));
}

// As it stands in tacit.toml: from its folder where the file lies below, else absolute.
std::string source_from(const std::filesystem::path& folder, const std::string& path) {
  std::error_code error;
  const auto whole = std::filesystem::weakly_canonical(path, error);
  const auto inside = whole.lexically_relative(folder);
  return inside.empty() || inside.string().starts_with("..") ? whole.string() : inside.string();
}

Result<DeclaredTable> look_at(const std::string& text, const TableOptions& options,
                              const std::filesystem::path& folder, Engine& engine) {
  TACIT_ASSIGN_OR_RETURN(const auto named,
                         split_at_equals(text, "--table", "--table visits=visits.csv"));
  DeclaredTable table{.name = named.first, .source = source_from(folder, named.second)};
  TACIT_ASSIGN_OR_RETURN(table.unit, unit_for(table.name, options));
  const auto columns = describe(engine, named.second);
  if (!columns) {
    // The steward's own look: the engine's words are for them.
    return bad_input(fmt::format("cannot be read: {}", printable(engine.steward_detail())),
                     named.second, "name a .csv, .parquet or .json file, or a glob");
  }
  for (const Column& column : *columns) {
    table.columns.push_back({.name = column.name, .type = name(column.type)});
  }
  for (const std::string& column : table.unit.columns) {
    if (std::ranges::find(table.columns, column, &DeclaredColumn::name) == table.columns.end()) {
      return bad_input(fmt::format("'{}' has no column '{}'", table.name, printable(column)),
                       "--unit", "its columns are in the first line of the file");
    }
  }
  return table;
}

}  // namespace

void TableOptions::add_options(CLI::App& verb) {
  verb.add_option("--table", tables, "A file to declare as a table; may be repeated")
      ->type_name("NAME=FILE")
      ->allow_extra_args(false);
  verb.add_option("--unit", units, "Whose its rows are: COLUMN, row or public")
      ->type_name("NAME=UNIT")
      ->allow_extra_args(false);
}

Result<std::vector<DeclaredTable>> look_at_tables(const TableOptions& options,
                                                  const std::filesystem::path& folder) {
  std::vector<DeclaredTable> tables;
  if (options.empty()) return tables;
  TACIT_ASSIGN_OR_RETURN(Engine engine, Engine::duckdb_in_memory(Engine::Files::kAllowed));
  for (const std::string& text : options.tables) {
    TACIT_ASSIGN_OR_RETURN(DeclaredTable table, look_at(text, options, folder, engine));
    tables.push_back(std::move(table));
  }
  for (const std::string& text : options.units) {
    const std::string name = text.substr(0, text.find('='));
    if (std::ranges::find(tables, name, &DeclaredTable::name) == tables.end()) {
      return bad_input(fmt::format("there is no table '{}' to have a unit", printable(name)),
                       "--unit", fmt::format("declare it: --table {}=FILE", printable(name)));
    }
  }
  return tables;
}

}  // namespace tacit::cli

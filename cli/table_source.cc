#include "cli/table_source.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <utility>
#include <vector>

#include "cli/ledger_access.h"
#include "tacit/data/dataset.h"

namespace tacit::cli {
namespace {

Result<DeclaredDataset> dataset_of(const Workspace& workspace, const std::string& name) {
  if (!name.empty()) return workspace.dataset(name);
  if (workspace.datasets.size() == 1) return workspace.datasets.front();
  return bad_input(fmt::format("the workspace has {} datasets", workspace.datasets.size()),
                   "--dataset", "say which one has the table");
}

Result<TableSchema> table_of(const Schema& schema, const std::string& name) {
  if (const TableSchema* const found = schema.find(name)) return *found;
  std::vector<std::string> names;
  for (const TableSchema& each : schema.tables) names.push_back(each.name);
  return bad_input(fmt::format("the dataset '{}' declares no table '{}'", schema.dataset, name),
                   "--table",
                   names.empty() ? "docs/workspace.md says how tables are declared"
                                 : fmt::format("its tables are: {}", fmt::join(names, ", ")));
}

}  // namespace

void TableSource::add_options(CLI::App& verb, const std::string& dataset_words) {
  CLI::Option* const named =
      verb.add_option("file", file, "A CSV, Parquet or JSON file, or a quoted pattern of several")
          ->type_name("FILE");
  verb.add_option("--dataset", dataset, dataset_words)->type_name("NAME");
  verb.add_option("--table", table, "A table of the dataset instead of a file")
      ->type_name("NAME")
      ->excludes(named);
}

std::string TableSource::name() const {
  if (!is_declared()) return file;
  return dataset.empty() ? table : fmt::format("{}.{}", dataset, table);
}

Result<void> TableSource::check() const {
  if (!file.empty() || is_declared()) return {};
  return bad_input("it is not said which table to read", "FILE",
                   "name a file, or a table of the workspace with --dataset and --table");
}

Result<anonymize::SourceFile> TableSource::open(Engine& engine, const Session& session) const {
  if (!is_declared()) return anonymize::SourceFile::open(engine, file);
  TACIT_ASSIGN_OR_RETURN(const Workspace workspace, workspace_of(session));
  TACIT_ASSIGN_OR_RETURN(const DeclaredDataset declared, dataset_of(workspace, dataset));
  TACIT_ASSIGN_OR_RETURN(const Schema schema, schema_of(workspace, declared));
  TACIT_ASSIGN_OR_RETURN(TableSchema found, table_of(schema, table));
  TACIT_ASSIGN_OR_RETURN(Engine database, open_engine(workspace, declared));
  return anonymize::SourceFile::of(std::make_shared<anonymize::ServedTable>(
      std::move(database), std::move(found), fmt::format("{}.{}", declared.name, table)));
}

}  // namespace tacit::cli

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/answer_file.h"
#include "cli/command.h"
#include "cli/ledger_text.h"
#include "cli/query_watch.h"
#include "cli/risk_text.h"
#include "tacit/anonymize/saved_hierarchy.h"

namespace tacit::cli {
namespace {

constexpr const char* kManual = R"(
Builds the hierarchy of one quasi-identifier by the rule of the policy, from the
values that the file has, checks that each level refines the next, and prints or
saves it: a line for each value, then what it becomes, level by level, separated
by semicolons. Edit it and write hierarchy = {file = "age.csv"} in the policy;
ARX reads the same.

Not for release: it shows every value of the column.

Examples:
  tacit hierarchy visits.parquet --policy policy.toml --column age
  tacit hierarchy visits.csv --policy policy.toml --column zip -o zip.csv)";

struct HierarchyOptions {
  std::string file;
  std::string policy;
  std::string column;
  std::string output;
};

Result<void> run_hierarchy(const HierarchyOptions& options, Session& session) {
  if (!options.output.empty()) {
    TACIT_RETURN_IF_ERROR(check_writable(options.output, "--output"));
  }
  TACIT_ASSIGN_OR_RETURN(const auto policy, anonymize::Policy::read(options.policy));
  TACIT_ASSIGN_OR_RETURN(Engine engine, Engine::duckdb_in_memory(Engine::Files::kAllowed));
  const QueryWatch watch(engine, "the engine counts");
  TACIT_ASSIGN_OR_RETURN(const auto hierarchy,
                         anonymize::hierarchy_of(engine, options.file, policy, options.column));
  if (!options.output.empty()) {
    TACIT_RETURN_IF_ERROR(write_text_file(options.output, anonymize::to_csv(hierarchy)));
  }
  if (session.json) {
    session.print(nlohmann::json{{"column", options.column},
                                 {"values", hierarchy.leaves()},
                                 {"levels", hierarchy.levels()},
                                 {"csv", anonymize::to_csv(hierarchy)}});
  } else if (options.output.empty()) {
    session.print(anonymize::to_csv(hierarchy));
  } else {
    session.print(fmt::format("{}: {} values of {}, {} levels.\n", printable(options.output),
                              grouped_digits(hierarchy.leaves()), printable(options.column),
                              hierarchy.levels()));
  }
  return {};
}

}  // namespace

void add_hierarchy(CLI::App& app, Session& session) {
  auto options = std::make_shared<HierarchyOptions>();
  CLI::App* const verb =
      add_verb(app, session, "hierarchy", "Show or save how a column becomes coarser", kManual);
  verb->add_option("file", options->file, "A CSV, Parquet or JSON file")
      ->type_name("FILE")
      ->required();
  verb->add_option("--policy", options->policy, "Whose rule for the column is taken")
      ->type_name("FILE")
      ->required();
  verb->add_option("--column", options->column, "A quasi-identifier")
      ->type_name("NAME")
      ->required();
  verb->add_option("-o,--output", options->output, "Save it; a file of that name is replaced")
      ->type_name("FILE");
  session.on(verb, [options, &session] { return run_hierarchy(*options, session); });
}

}  // namespace tacit::cli

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/attack_verbs.h"
#include "cli/command.h"
#include "cli/released_access.h"
#include "tacit/attacks/composition.h"

namespace tacit::cli {
namespace {

using attacks::ReleasedTable;

constexpr const char* kManual = R"(
Takes several releases that hold the same people, each harmless by itself, and
leaves for each person the sensitive values that all of them leave possible.
Whose quasi-identifiers are known and who really has what comes from --people,
a table with exact values: the original, or those of its rows that are in all
releases. Guessing is the one release that gives most values away by itself.

The policy names the columns, and its hierarchies say what published labels
stand for; other labels (30-39, 021**, >=90) are understood by themselves.

Examples:
  tacit attack composition may.csv june.csv --policy policy.toml \
    --people patients.csv
  tacit attack composition may.csv june.csv july.csv --policy policy.toml \
    --people patients.csv --show-victims 5 --json)";

struct CompositionOptions {
  ReleaseOptions release;  // the name of the first release
  std::vector<std::string> releases;
  std::string people;
};

Result<void> run(CompositionOptions& options, Session& session) {
  options.release.release = options.releases.front();
  TACIT_ASSIGN_OR_RETURN(const auto policy, anonymize::Policy::read(options.release.policy));
  TACIT_ASSIGN_OR_RETURN(const ReleasedTable people, read_released(options.people, policy));
  TACIT_ASSIGN_OR_RETURN(const auto hierarchies, attacks::hierarchies_of(people, policy));
  std::vector<ReleasedTable> releases;
  for (const std::string& file : options.releases) {
    TACIT_ASSIGN_OR_RETURN(ReleasedTable release, read_released(file, policy));
    releases.push_back(std::move(release));
  }
  TACIT_ASSIGN_OR_RETURN(const auto columns, attacked_columns(options.release, people));
  std::vector<ColumnReport> reports;
  for (const std::size_t column : columns) {
    reports.push_back({.column = people.sensitive[column].name,
                       .report = attacks::composition(people, column, hierarchies, releases)});
  }
  print_reports(options.release, std::move(reports), session);
  return {};
}

}  // namespace

void add_attack_composition(CLI::App& attack, Session& session) {
  auto options = std::make_shared<CompositionOptions>();
  CLI::App* const verb =
      add_verb(attack, session, "composition", "What several releases give away together", kManual);
  verb->add_option("releases", options->releases, "The published tables")
      ->type_name("FILE")
      ->required();
  verb->add_option("--people", options->people, "Exact values of people in all of them")
      ->type_name("FILE")
      ->required();
  options->release.add_options(*verb);
  session.on(verb, [options, &session] { return run(*options, session); });
}

}  // namespace tacit::cli

#include "cli/attack_minimality.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "cli/attack_verbs.h"
#include "cli/command.h"
#include "cli/microdata_access.h"
#include "cli/option_checks.h"
#include "cli/progress_bar.h"
#include "cli/released_access.h"
#include "tacit/anonymize/choice.h"

namespace tacit::cli {
namespace {

using anonymize::Choice;
using anonymize::Microdata;
using attacks::ReleasedTable;

constexpr const char* kManual = R"(
An adversary who knows the policy, and the quasi-identifiers of everybody in
the table, knows that no finer recoding would have done: the one published is
the best. What that tells of sensitive values is tried by dealing the values of
each class out among its people at random, many times, and leaving out the deals
in which a recoding one step finer would have been published instead. Guessing
is the most frequent value of each class.

The recoding is found again from --original, the table from which the release
was made, so the release must be the best recoding by this policy.

Examples:
  tacit attack minimality safe.csv --policy policy.toml --original patients.csv
  tacit attack minimality safe.csv --policy policy.toml \
    --original patients.csv --worlds 10000 --json)";

struct MinimalityVerbOptions {
  ReleaseOptions release;
  std::string original;
  attacks::MinimalityOptions minimality;
};

Result<void> run(const MinimalityVerbOptions& options, Session& session) {
  TACIT_ASSIGN_OR_RETURN(const auto policy, anonymize::Policy::read(options.release.policy));
  TACIT_ASSIGN_OR_RETURN(const ReleasedTable release,
                         read_released(options.release.release, policy));
  TACIT_ASSIGN_OR_RETURN(auto found,
                         try_minimality(release, options.original, policy, options.minimality));
  print_reports(options.release,
                {{.column = std::move(found.column), .report = std::move(found.report)}}, session);
  return {};
}

}  // namespace

Result<MinimalityOutcome> try_minimality(const ReleasedTable& release, const std::string& original,
                                         const anonymize::Policy& policy,
                                         const attacks::MinimalityOptions& options) {
  TACIT_ASSIGN_OR_RETURN(Engine engine, Engine::duckdb_in_memory(Engine::Files::kAllowed));
  TACIT_ASSIGN_OR_RETURN(auto source, anonymize::SourceFile::open(engine, original));
  TACIT_ASSIGN_OR_RETURN(const Microdata data, read_watched(engine, std::move(source), policy));
  TACIT_ASSIGN_OR_RETURN(const Choice choice, anonymize::choose(data, policy));
  if (release.classes.rows != choice.risk.rows || release.classes.size() != choice.risk.classes) {
    return bad_input(
        "this is not the best recoding of the original by the policy, so nothing "
        "follows from its being the best",
        release.name, "give the table and the policy from which it was made");
  }
  TACIT_ASSIGN_OR_RETURN(
      attacks::Report report,
      attacks::minimality(data, policy, choice, options, progress_bar("dealing values")));
  MinimalityOutcome out{.report = std::move(report)};
  for (const anonymize::CriterionRule& rule : policy.criteria) {
    if (const auto column = anonymize::sensitive_column(rule)) {
      out.column = data.sensitive[*column].name;
    }
  }
  return out;
}

void add_attack_minimality(CLI::App& attack, Session& session) {
  auto options = std::make_shared<MinimalityVerbOptions>();
  CLI::App* const verb = add_verb(attack, session, "minimality",
                                  "What follows from a recoding being the best", kManual);
  verb->add_option("release", options->release.release, "The published table")
      ->type_name("FILE")
      ->required();
  verb->add_option("--original", options->original, "The table from which it was made")
      ->type_name("FILE")
      ->required();
  verb->add_option("--worlds", options->minimality.worlds, "How often values are dealt out")
      ->type_name("N")
      ->check(a_number_of_times())
      ->capture_default_str();
  options->release.add_options(*verb);
  session.on(verb, [options, &session] { return run(*options, session); });
}

}  // namespace tacit::cli

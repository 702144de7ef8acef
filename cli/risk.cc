#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/ledger_text.h"
#include "cli/microdata_access.h"
#include "cli/risk_text.h"

namespace tacit::cli {
namespace {

constexpr const char* kManual = R"(
Shows how well people are hidden in a table as it is: how many rows look alike
in the quasi-identifiers of the policy, and with what chance somebody who knows
them finds the right row.

  prosecutor  knows that a person is in the table, and who
  journalist  knows only that the rows are of a larger population; without a
              table of it the risk is at most the prosecutor's
  marketer    links all rows, and is content with some that are right

A published table is measured with a policy that names its columns: hierarchies
are not needed for it. Not for release: it tells of rows.

Examples:
  tacit risk visits.csv --policy policy.toml
  tacit risk visits.parquet --policy policy.toml --json)";

struct RiskOptions {
  std::string file;
  std::string policy;
};

Result<void> run_risk(const RiskOptions& options, Session& session) {
  TACIT_ASSIGN_OR_RETURN(anonymize::Policy policy, anonymize::Policy::read(options.policy));
  // Values are compared as they are.
  for (anonymize::ColumnPolicy& column : policy.columns) {
    column.hierarchy = anonymize::rule::Suppress{};
  }
  TACIT_ASSIGN_OR_RETURN(Engine engine, Engine::duckdb_in_memory(Engine::Files::kAllowed));
  TACIT_ASSIGN_OR_RETURN(const anonymize::Microdata data,
                         read_watched(engine, options.file, policy));
  const anonymize::ReidentificationRisk risk = data.risk();
  if (session.json) {
    session.print(nlohmann::json{{"file", options.file}, {"risk", risk_json(risk)}});
  } else {
    session.print(fmt::format("{}\nNot for release: it tells of rows.\n",
                              risk_table({{printable(abbreviated(options.file, 40)), risk}})));
  }
  return {};
}

}  // namespace

void add_risk(CLI::App& app, Session& session) {
  auto options = std::make_shared<RiskOptions>();
  CLI::App* const verb =
      add_verb(app, session, "risk", "How well people are hidden in a table", kManual);
  verb->add_option("file", options->file, "A CSV, Parquet or JSON file")
      ->type_name("FILE")
      ->required();
  verb->add_option("--policy", options->policy, "Roles of the columns")
      ->type_name("FILE")
      ->required();
  session.on(verb, [options, &session] { return run_risk(*options, session); });
}

}  // namespace tacit::cli

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/ledger_text.h"
#include "cli/microdata_access.h"
#include "cli/report_request.h"
#include "cli/report_text.h"
#include "cli/risk_text.h"
#include "cli/table_source.h"
#include "tacit/anonymize/named_columns.h"

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

Where the table is a sample: how many people are estimated to be unique in the
population, and the individual risk of a row. Then the sets of columns that tell
single rows from all others (SUDA), and what classes give away of sensitive
columns. docs/anonymize.md defines all of it; --report draws it as a page.

A published table is measured with the policy that it was made by: identifiers
that were dropped are not missed, and its labels are values like others. Not for
release: it tells of rows.

Examples:
  tacit risk visits.csv --policy policy.toml
  tacit risk visits.csv --policy policy.toml --sampling-fraction 0.05 \
    --report risk.html
  tacit risk visits.parquet --policy policy.toml --json
  tacit risk --dataset clinic --table visits --policy policy.toml)";

struct RiskOptions {
  TableSource source;
  std::string policy;
  ReportRequest report;
};

anonymize::PageFacts page_facts(const std::string& file) {
  return {.title = std::filesystem::path(file).filename().string(),
          .lead = "How well people are hidden in this table as it is."};
}

Result<void> run_risk(const RiskOptions& options, Session& session) {
  TACIT_RETURN_IF_ERROR(options.source.check());
  TACIT_RETURN_IF_ERROR(options.report.check({options.source.file, options.policy}));
  TACIT_ASSIGN_OR_RETURN(anonymize::Policy policy, anonymize::Policy::read(options.policy));
  TACIT_ASSIGN_OR_RETURN(Engine engine, Engine::duckdb_in_memory(Engine::Files::kAllowed));
  TACIT_ASSIGN_OR_RETURN(const auto source, options.source.open(engine, session));
  policy = anonymize::for_published(std::move(policy), source);
  TACIT_ASSIGN_OR_RETURN(
      const anonymize::Microdata data,
      read_watched(engine, source, policy, anonymize::Microdata::Sensitive::kAlways));
  const anonymize::Report report = anonymize::report_of(data, options.report.options(policy));
  TACIT_RETURN_IF_ERROR(options.report.write(report, page_facts(options.source.name())));
  const anonymize::ReidentificationRisk& risk = report.table.risk;
  if (session.json) {
    session.print(nlohmann::json{{"file", options.source.name()},
                                 {"risk", risk_json(risk)},
                                 {"report", report_json(report)}});
  } else {
    session.print(
        fmt::format("{}\n{}\nNot for release: it tells of rows.\n",
                    risk_table({{printable(abbreviated(options.source.name(), 40)), risk}}),
                    table_report_text(report)));
  }
  return {};
}

}  // namespace

void add_risk(CLI::App& app, Session& session) {
  auto options = std::make_shared<RiskOptions>();
  CLI::App* const verb =
      add_verb(app, session, "risk", "How well people are hidden in a table", kManual);
  options->source.add_options(*verb, "Of the workspace, whose --table is read");
  verb->add_option("--policy", options->policy, "Roles of the columns")
      ->type_name("FILE")
      ->required();
  options->report.add_options(*verb);
  session.on(verb, [options, &session] { return run_risk(*options, session); });
}

}  // namespace tacit::cli

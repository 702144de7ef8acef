#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/answer_file.h"
#include "cli/command.h"
#include "cli/ledger_text.h"
#include "cli/query_watch.h"
#include "cli/risk_text.h"
#include "cli/table.h"
#include "cli/table_source.h"
#include "tacit/anonymize/inspection.h"

namespace tacit::cli {
namespace {

using anonymize::Inspection;

constexpr const char* kManual = R"(
Looks at a table before it is anonymized: what each column seems to be, by its
name and its values (the 18 identifiers of HIPAA's Safe Harbor among others),
how many rows are alone with a value, and which few columns together tell the
most rows apart. -o writes a commented policy with the roles and hierarchies
that it proposes, for you to check and for 'tacit anonymize' to take.

It guesses. A column that nothing is known of is proposed as a quasi-identifier,
or as an identifier where nearly every row has another value. Not for release:
what it shows tells of rows.

Examples:
  tacit inspect visits.csv
  tacit inspect visits.parquet -o policy.toml
  tacit inspect visits.parquet --json
  tacit inspect --dataset clinic --table visits -o policy.toml)";

struct InspectOptions {
  TableSource source;
  std::string output;
};

constexpr std::size_t kSetsShown = 8;

std::string columns_table(const Inspection& inspection) {
  Table table({{"column", Table::Align::kLeft},
               {"values", Table::Align::kRight},
               {"alone", Table::Align::kRight},
               {"proposed role", Table::Align::kLeft},
               {"because it holds", Table::Align::kLeft}});
  for (const anonymize::InspectedColumn& column : inspection.columns) {
    const auto& finding = column.finding;
    table.add({abbreviated(printable(column.facts.name), 18), grouped_digits(column.facts.distinct),
               grouped_digits(column.unique), std::string(name(finding.role)),
               abbreviated(finding.safe_harbor
                               ? fmt::format("{} (HIPAA {})", finding.what, *finding.safe_harbor)
                               : finding.what,
                           28)});
  }
  return table.to_string();
}

std::string sets_table(const Inspection& inspection) {
  Table table({{"rows alone", Table::Align::kRight},
               {"part", Table::Align::kRight},
               {"together with these columns", Table::Align::kLeft}});
  for (std::size_t i = 0; i < std::min(kSetsShown, inspection.sets.size()); ++i) {
    const auto& set = inspection.sets[i];
    table.add({grouped_digits(set.unique),
               fmt::format("{:.1f}%", 100 * static_cast<double>(set.unique) /
                                          static_cast<double>(inspection.rows)),
               abbreviated(printable(fmt::format("{}", fmt::join(set.columns, ", "))), 58)});
  }
  return table.to_string();
}

nlohmann::json inspection_json(const Inspection& inspection) {
  nlohmann::json columns = nlohmann::json::array();
  for (const anonymize::InspectedColumn& column : inspection.columns) {
    const auto& finding = column.finding;
    columns.push_back({{"column", column.facts.name},
                       {"type", column.facts.type},
                       {"rows", column.facts.rows},
                       {"values", column.facts.distinct},
                       {"unique_rows", column.unique},
                       {"role", name(finding.role)},
                       {"finding", finding.what},
                       {"safe_harbor", finding.safe_harbor ? nlohmann::json(*finding.safe_harbor)
                                                           : nlohmann::json()}});
  }
  nlohmann::json sets = nlohmann::json::array();
  for (const anonymize::TellingSet& set : inspection.sets) {
    sets.push_back({{"columns", set.columns}, {"unique_rows", set.unique}});
  }
  return {{"file", inspection.file},
          {"rows", inspection.rows},
          {"columns", columns},
          {"sets", sets},
          {"policy", inspection.policy()}};
}

Result<void> check_output(const std::string& output) {
  if (output.empty()) return {};
  std::error_code error;
  if (std::filesystem::exists(output, error)) {
    return bad_input(fmt::format("'{}' is there already", output), "--output",
                     "a policy is never overwritten: name another file");
  }
  return check_writable(output, "--output");
}

Result<void> run_inspect(const InspectOptions& options, Session& session) {
  TACIT_RETURN_IF_ERROR(options.source.check());
  TACIT_RETURN_IF_ERROR(check_output(options.output));
  TACIT_ASSIGN_OR_RETURN(Engine engine, Engine::duckdb_in_memory(Engine::Files::kAllowed));
  TACIT_ASSIGN_OR_RETURN(auto source, options.source.open(engine, session));
  const QueryWatch watch(engine, "the engine counts");
  TACIT_ASSIGN_OR_RETURN(const Inspection inspection,
                         anonymize::inspect(engine, std::move(source)));
  if (!options.output.empty()) {
    TACIT_RETURN_IF_ERROR(write_text_file(options.output, inspection.policy()));
  }
  if (session.json) {
    session.print(inspection_json(inspection));
    return {};
  }
  std::string text = fmt::format("{}: {} rows\n\n{}", printable(options.source.name()),
                                 grouped_digits(inspection.rows), columns_table(inspection));
  if (!inspection.sets.empty()) text += "\n" + sets_table(inspection);
  text += "\nNot for release: it tells of rows.\n";
  if (!options.output.empty()) {
    text += fmt::format("{}: written. Check every line before you use it.\n",
                        printable(options.output));
  }
  session.print(text);
  return {};
}

}  // namespace

void add_inspect(CLI::App& app, Session& session) {
  auto options = std::make_shared<InspectOptions>();
  CLI::App* const verb =
      add_verb(app, session, "inspect", "Propose what each column of a table is", kManual);
  options->source.add_options(*verb, "Of the workspace, whose --table is read");
  verb->add_option("-o,--output", options->output, "Write a policy to edit")->type_name("FILE");
  session.on(verb, [options, &session] { return run_inspect(*options, session); });
}

}  // namespace tacit::cli

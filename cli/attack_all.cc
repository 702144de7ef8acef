#include <fmt/format.h>

#include <CLI/Error.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "cli/attack_linkage.h"
#include "cli/attack_minimality.h"
#include "cli/attack_text.h"
#include "cli/attack_verbs.h"
#include "cli/command.h"
#include "cli/ledger_text.h"
#include "cli/released_access.h"
#include "tacit/attacks/background_knowledge.h"
#include "tacit/attacks/composition.h"
#include "tacit/attacks/homogeneity.h"
#include "tacit/attacks/similarity.h"
#include "tacit/attacks/skewness.h"

namespace tacit::cli {
namespace {

using attacks::ReleasedTable;
using attacks::Report;
using nlohmann::json;

struct AllOptions {
  ReleaseOptions release;
  std::string original;
  std::vector<std::string> others;  // releases
  std::string outside;
  std::string truth;  // a column of the release and the outside table
};

// What was tried, and what was not.
struct Findings {
  std::vector<ColumnReport> reports;
  std::vector<std::pair<std::string, std::string>> not_tried;  // an attack and why
  std::vector<std::string> identifiers;                        // that stand in the table
};

// Numbers this close are taken for alike, as a part of their range.
constexpr double kCloseNumbers = 0.1;

// By the policy's taxonomy of the column, at the level of its finest groups; else by numbers.
Result<void> attack_similarity(const ReleasedTable& release, std::size_t column,
                               const anonymize::Policy& policy, Findings& out) {
  const ReleasedTable::Column& own = release.sensitive[column];
  TACIT_ASSIGN_OR_RETURN(const auto taxonomy, attacks::taxonomy_of(own, policy));
  if (taxonomy) {
    auto report = attacks::similarity(release, column, *taxonomy, 1);
    if (report) {
      out.reports.push_back({own.name, *std::move(report)});
    } else {
      out.not_tried.emplace_back("similarity", report.error().what);
    }
  } else if (const auto range = attacks::number_range(release, column)) {
    TACIT_ASSIGN_OR_RETURN(
        Report report,
        attacks::closeness(release, column, kCloseNumbers * (range->greatest - range->least)));
    out.reports.push_back({own.name, std::move(report)});
  } else {
    out.not_tried.emplace_back(
        "similarity", fmt::format("which values of {} are alike is not known; see 'tacit attack "
                                  "similarity --taxonomy'",
                                  own.name));
  }
  return {};
}

// The attacks that need nothing but the release.
Result<void> attack_alone(const ReleasedTable& release, std::size_t column,
                          const anonymize::Policy& policy, Findings& out) {
  const std::string& name = release.sensitive[column].name;
  out.reports.push_back({name, attacks::homogeneity(release, column)});
  out.reports.push_back({name, attacks::background_knowledge(release, column, 1)});
  out.reports.push_back({name, attacks::skewness(release, column)});
  return attack_similarity(release, column, policy, out);
}

// Several releases of the people in the original.
Result<void> attack_together(const AllOptions& options, const anonymize::Policy& policy,
                             const ReleasedTable& release, Findings& out) {
  if (options.original.empty() || options.others.empty()) {
    out.not_tried.emplace_back("composition",
                               "it needs the original table and other releases: --original FILE "
                               "and --with FILE");
    return {};
  }
  TACIT_ASSIGN_OR_RETURN(const ReleasedTable people, read_released(options.original, policy));
  TACIT_ASSIGN_OR_RETURN(const auto hierarchies, attacks::hierarchies_of(people, policy));
  TACIT_ASSIGN_OR_RETURN(const auto columns, attacked_columns(options.release, people));
  std::vector<ReleasedTable> releases{release};
  for (const std::string& file : options.others) {
    TACIT_ASSIGN_OR_RETURN(ReleasedTable other, read_released(file, policy));
    releases.push_back(std::move(other));
  }
  for (const std::size_t column : columns) {
    out.reports.push_back({people.sensitive[column].name,
                           attacks::composition(people, column, hierarchies, releases)});
  }
  return {};
}

// What speaks against the attack is no failure of the others.
void attack_minimality(const AllOptions& options, const anonymize::Policy& policy,
                       const ReleasedTable& release, Findings& out) {
  if (options.original.empty()) {
    out.not_tried.emplace_back("minimality", "it needs the original table: --original FILE");
    return;
  }
  auto found = try_minimality(release, options.original, policy, {});
  if (found) {
    out.reports.push_back({std::move(found->column), std::move(found->report)});
  } else {
    out.not_tried.emplace_back("minimality", found.error().what);
  }
}

Result<void> attack_rows(const AllOptions& options, Findings& out) {
  if (options.outside.empty()) {
    out.not_tried.emplace_back("linkage", "it needs a table of people: --outside FILE");
    return {};
  }
  TACIT_ASSIGN_OR_RETURN(Report report, linkage_report(options.release.release, options.outside,
                                                       options.release.policy, options.truth,
                                                       options.release.victims));
  report.attack = "linkage";
  out.reports.push_back({"rows", std::move(report)});
  return {};
}

Result<Findings> attack_all(const AllOptions& options) {
  TACIT_ASSIGN_OR_RETURN(const auto policy, anonymize::Policy::read(options.release.policy));
  TACIT_ASSIGN_OR_RETURN(const ReleasedTable release,
                         read_released(options.release.release, policy));
  Findings out;
  out.identifiers = release.identifiers;
  if (release.sensitive.empty() && options.release.sensitive.empty()) {
    out.not_tried.emplace_back("attacks on values", "the table has no sensitive column");
  } else {
    TACIT_ASSIGN_OR_RETURN(const auto columns, attacked_columns(options.release, release));
    for (const std::size_t column : columns) {
      TACIT_RETURN_IF_ERROR(attack_alone(release, column, policy, out));
    }
    TACIT_RETURN_IF_ERROR(attack_together(options, policy, release, out));
    attack_minimality(options, policy, release, out);
  }
  TACIT_RETURN_IF_ERROR(attack_rows(options, out));
  for (ColumnReport& each : out.reports) {
    auto& victims = each.report.victims;
    victims.resize(std::min(victims.size(), options.release.victims));
  }
  return out;
}

// What each attack knows, once, and what it saw at worst in each column.
std::string knowledge_text(const std::vector<ColumnReport>& reports) {
  std::vector<std::pair<std::string, std::string>> parts;  // an attack, and what it found
  for (const auto& [column, report] : reports) {
    const std::string head =
        wrapped(fmt::format("{}: knows {}.", report.attack, printable(report.adversary)), 0);
    auto part = std::ranges::find(parts, head, [](const auto& pair) { return pair.first; });
    if (part == parts.end()) part = parts.insert(part, {head, ""});
    if (report.finding.empty()) continue;
    part->second +=
        wrapped(fmt::format("{}: {}.", printable(column), printable(report.finding)), 2);
  }
  std::string text;
  for (const auto& [head, found] : parts) text += head + found;
  return text;
}

std::string victims_of(const std::vector<ColumnReport>& reports) {
  std::string text;
  for (const ColumnReport& each : reports) {
    if (each.report.victims.empty()) continue;
    text += fmt::format("\n{} of {}:\n{}", each.report.attack, printable(each.column),
                        victims_table(each.report));
  }
  return text;
}

std::string findings_text(const Findings& found) {
  std::string text;
  if (!found.reports.empty()) {
    text = fmt::format("{}\n{}", reports_table(found.reports), knowledge_text(found.reports));
  }
  for (const std::string& column : found.identifiers) {
    text += wrapped(fmt::format("The table holds the column {}, which the policy calls an "
                                "identifier: it names people without any attack.",
                                printable(column)),
                    0);
  }
  for (const auto& [attack, why] : found.not_tried) {
    text += wrapped(fmt::format("Not tried: {}: {}.", attack, printable(why)), 0);
  }
  return text + victims_of(found.reports) + "\nNot for release: it tells of people.\n";
}

json findings_json(const AllOptions& options, const Findings& found) {
  json attacks = json::array();
  for (const ColumnReport& each : found.reports) attacks.push_back(column_report_json(each));
  json not_tried = json::array();
  for (const auto& [attack, why] : found.not_tried) {
    not_tried.push_back({{"attack", attack}, {"why", why}});
  }
  return {{"release", options.release.release},
          {"attacks", std::move(attacks)},
          {"not_tried", std::move(not_tried)},
          {"identifiers", found.identifiers}};
}

Result<void> run(const AllOptions& options, Session& session) {
  TACIT_ASSIGN_OR_RETURN(const Findings found, attack_all(options));
  if (session.json) {
    session.print(findings_json(options, found));
  } else {
    session.print(findings_text(found));
  }
  return {};
}

}  // namespace

void add_attack_all(CLI::App& attack, Session& session) {
  auto options = std::make_shared<AllOptions>();
  attack.require_subcommand(0, 1);
  CLI::Option* const all =
      attack.add_option("--all", options->release.release, "A published table: every attack on it")
          ->type_name("FILE");
  options->release.add_options(attack);
  attack.get_option("--policy")->required(false);
  attack.add_option("--original", options->original, "The table from which it was made")
      ->type_name("FILE");
  attack.add_option("--with", options->others, "Another release of the same people; repeatable")
      ->type_name("FILE");
  attack.add_option("--outside", options->outside, "A table of people to whom rows are linked")
      ->type_name("FILE");
  attack
      .add_option("--truth", options->truth,
                  "A column of the release and the outside table that tells whose a row is")
      ->type_name("COLUMN");
  attack.add_flag("--json", session.json, "Print JSON for programs");
  // A verb below sets its own action, and this callback comes last.
  attack.parse_complete_callback([options, all, &attack, &session] {
    const bool has_verb = !attack.get_subcommands().empty();
    if (all->empty() && !has_verb) throw CLI::RequiredError("A subcommand or --all");
    if (all->empty()) return;
    if (has_verb) throw CLI::ExcludesError("--all", "a subcommand");
    if (options->release.policy.empty()) throw CLI::RequiredError("--policy");
    session.on(&attack, [options, &session] { return run(*options, session); });
  });
}

}  // namespace tacit::cli

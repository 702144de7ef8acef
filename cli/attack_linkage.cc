#include "cli/attack_linkage.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/attack_text.h"
#include "cli/attack_verbs.h"
#include "cli/progress_bar.h"
#include "cli/table.h"
#include "tacit/anonymize/policy.h"
#include "tacit/attacks/probabilistic_linkage.h"

namespace tacit::cli {
namespace {

using attacks::LinkageTask;
using attacks::TextTable;
using nlohmann::json;
using Names = std::vector<std::string>;

constexpr const char* kManual = R"(
Links the records of a release to a table of people with names, by columns that
both have: what somebody does who owns a voter list. Labels of the release are
understood: 30-39, [30, 40[, >=90, 021**, E11*, 1987-11, {Asia, Europe}, *.
Words of a taxonomy and orders need the policy that the release was made with.

A record is claimed for a person where nobody else of the table agrees with it.
With --truth, a column of both files that tells whose a row is, claims are
judged; without it nobody can say whether they are right.

--probabilistic also links where some columns disagree. How much each column
says is learned from the two tables (Fellegi and Sunter 1969).

Examples:
  tacit attack linkage safe.csv --outside voters.csv --on born,sex,zip
  tacit attack linkage safe.csv --outside staff.csv --policy policy.toml \
    --truth number
  tacit attack linkage noisy.csv --outside staff.csv --probabilistic --json)";

struct LinkageOptions {
  std::string release;
  std::string outside;
  Names on;
  std::string policy;
  std::string truth;
  bool exact = false;
  bool probabilistic = false;
  bool same_weights = false;
  attacks::ProbabilisticOptions model;
  std::size_t victims = 0;
};

bool has(const Names& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

// What labels of the column mean, where they do not tell it themselves.
Result<std::optional<anonymize::Hierarchy>> meaning(const anonymize::ColumnPolicy& column) {
  const auto* const order = std::get_if<anonymize::rule::Order>(&column.hierarchy);
  const bool is_own_order = order != nullptr && !order->values.empty();
  if (!is_own_order && !std::holds_alternative<anonymize::rule::Taxonomy>(column.hierarchy)) {
    return std::nullopt;
  }
  TACIT_ASSIGN_OR_RETURN(auto hierarchy,
                         anonymize::build_hierarchy(column.hierarchy, {}, column.name));
  return hierarchy;
}

// The columns to compare: those named, else the quasi-identifiers, else all that both files have.
Result<Names> compared(const LinkageOptions& options, const Names& quasi_identifiers) {
  if (!options.on.empty()) return options.on;
  TACIT_ASSIGN_OR_RETURN(const Names released, attacks::column_names(options.release));
  TACIT_ASSIGN_OR_RETURN(const Names known, attacks::column_names(options.outside));
  Names out;
  for (const std::string& name : released) {
    const bool is_asked = options.policy.empty() || has(quasi_identifiers, name);
    if (is_asked && has(known, name) && name != options.truth) out.push_back(name);
  }
  if (out.empty()) {
    return bad_input("the two files have no column in common to compare", options.outside,
                     "give columns the same name in both files, and name them with --on");
  }
  return out;
}

Result<LinkageTask> read_task(const LinkageOptions& options) {
  std::vector<anonymize::ColumnPolicy> policies;
  if (!options.policy.empty()) {
    TACIT_ASSIGN_OR_RETURN(const auto policy, anonymize::Policy::read(options.policy));
    policies = policy.of(anonymize::Role::kQuasiIdentifier);
  }
  Names quasi_identifiers;
  for (const auto& column : policies) quasi_identifiers.push_back(column.name);
  TACIT_ASSIGN_OR_RETURN(Names columns, compared(options, quasi_identifiers));
  LinkageTask task{.has_truth = !options.truth.empty(), .is_exact = options.exact};
  for (const std::string& name : columns) {
    auto& own = task.hierarchies.emplace_back();
    const auto found = std::ranges::find(policies, name, &anonymize::ColumnPolicy::name);
    if (found == policies.end()) continue;
    TACIT_ASSIGN_OR_RETURN(own, meaning(*found));
  }
  if (task.has_truth) columns.push_back(options.truth);
  TACIT_ASSIGN_OR_RETURN(task.release, TextTable::read(options.release, columns));
  TACIT_ASSIGN_OR_RETURN(task.outside, TextTable::read(options.outside, columns));
  return task;
}

// Some people who were found, and what the release says of them; right claims where they are known.
Result<void> add_victims(const LinkageOptions& options, const LinkageTask& task,
                         attacks::Linkage& found) {
  std::vector<std::uint64_t> records;
  std::vector<std::uint64_t> people;
  for (const attacks::Claim& claim : found.claims) {
    if (records.size() >= std::min(options.victims, attacks::kMostVictims)) break;
    if (task.has_truth && !claim.is_right) continue;
    records.push_back(claim.record);
    people.push_back(claim.person);
  }
  Names known;
  for (std::size_t i = 0; i < task.compared(); ++i) known.push_back(task.release.columns[i].name);
  TACIT_ASSIGN_OR_RETURN(const auto who, attacks::describe_rows(options.outside, people, known));
  if (task.has_truth) known.push_back(options.truth);
  TACIT_ASSIGN_OR_RETURN(const auto learned,
                         attacks::describe_rows(options.release, records, known));
  for (std::size_t i = 0; i < records.size(); ++i) {
    found.report.victims.push_back(
        {.who = fmt::format("row {}: {}", people[i] + 1, who[i]),
         .learned = fmt::format("row {}: {}", records[i] + 1, learned[i])});
  }
  return {};
}

std::string model_table(const attacks::ProbabilisticLinkage& found) {
  Table table({{"column"},
               {"agrees if own", Table::Align::kRight},
               {"by chance", Table::Align::kRight},
               {"weight", Table::Align::kRight},
               {"if not", Table::Align::kRight}});
  for (std::size_t i = 0; i < found.columns.size(); ++i) {
    const double chance = found.model.u[i];
    table.add({found.columns[i], percent_text(found.model.m[i]), percent_text(chance),
               fmt::format("{:.2f}", found.model.weight(i, true, chance)),
               fmt::format("{:.2f}", found.model.weight(i, false, chance))});
  }
  return table.to_string();
}

json linkage_json(const attacks::Linkage& found) {
  json out = report_json(found.report);
  out["claims"] = found.claims.size();
  out["unmatched"] = found.unmatched;
  if (found.report.checked) out["expected_right"] = found.expected;
  return out;
}

Result<void> run_probabilistic(const LinkageOptions& options, const LinkageTask& task,
                               Session& session) {
  attacks::ProbabilisticOptions model = options.model;
  model.use_frequencies = !options.same_weights;
  TACIT_ASSIGN_OR_RETURN(auto found, attacks::link_probably(task, model, progress_bar("linking")));
  TACIT_RETURN_IF_ERROR(add_victims(options, task, found.linkage));
  if (!session.json) {
    session.print(model_table(found) + "\n" + report_text(found.linkage.report));
    return {};
  }
  json out = linkage_json(found.linkage);
  out.erase("expected_right");
  json columns = json::array();
  for (std::size_t i = 0; i < found.columns.size(); ++i) {
    columns.push_back(
        {{"column", found.columns[i]}, {"m", found.model.m[i]}, {"u", found.model.u[i]}});
  }
  out["columns"] = std::move(columns);
  out["present"] = found.model.present;
  session.print(out);
  return {};
}

Result<void> run_linkage(const LinkageOptions& options, Session& session) {
  TACIT_ASSIGN_OR_RETURN(const LinkageTask task, read_task(options));
  if (options.probabilistic) return run_probabilistic(options, task, session);
  TACIT_ASSIGN_OR_RETURN(auto found, attacks::link(task, progress_bar("linking")));
  TACIT_RETURN_IF_ERROR(add_victims(options, task, found));
  if (session.json) {
    session.print(linkage_json(found));
  } else {
    session.print(report_text(found.report));
  }
  return {};
}

}  // namespace

Result<attacks::Report> linkage_report(const std::string& release, const std::string& outside,
                                       const std::string& policy, const std::string& truth,
                                       std::size_t victims) {
  const LinkageOptions options{
      .release = release, .outside = outside, .policy = policy, .truth = truth, .victims = victims};
  TACIT_ASSIGN_OR_RETURN(const LinkageTask task, read_task(options));
  TACIT_ASSIGN_OR_RETURN(auto found, attacks::link(task, progress_bar("linking")));
  TACIT_RETURN_IF_ERROR(add_victims(options, task, found));
  return std::move(found.report);
}

void add_attack_linkage(CLI::App& attack, Session& session) {
  auto options = std::make_shared<LinkageOptions>();
  CLI::App* const verb =
      add_verb(attack, session, "linkage", "Link records to people of another table", kManual);
  verb->add_option("release", options->release, "A CSV, Parquet or JSON file")
      ->type_name("FILE")
      ->required();
  verb->add_option("--outside", options->outside, "The table of people")
      ->type_name("FILE")
      ->required();
  verb->add_option("--on", options->on, "Columns to compare [all that both have]")
      ->type_name("COLUMN,...")
      ->delimiter(',');
  verb->add_option("--policy", options->policy, "Quasi-identifiers, and what labels mean")
      ->type_name("FILE");
  verb->add_option("--truth", options->truth, "A column of both that tells whose a row is")
      ->type_name("COLUMN");
  verb->add_flag("--exact", options->exact, "Labels are texts: only the same one agrees");
  verb->add_option("--show-victims", options->victims, "Examples to show")
      ->check(CLI::Range(std::size_t{0}, attacks::kMostVictims))
      ->capture_default_str();
  CLI::Option* const probabilistic =
      verb->add_flag("--probabilistic", options->probabilistic, "Link where columns disagree, too");
  verb->add_option("--misses", options->model.misses, "Columns that may disagree")
      ->check(CLI::Range(0, 8))
      ->needs(probabilistic)
      ->capture_default_str();
  verb->add_option("--least", options->model.least_probability, "Probability a claim must have")
      ->needs(probabilistic)
      ->capture_default_str();
  verb->add_flag("--same-weights", options->same_weights,
                 "Rare labels weigh no more than frequent ones")
      ->needs(probabilistic);
  verb->add_flag("--one-to-one", options->model.one_to_one, "Nobody is claimed twice")
      ->needs(probabilistic);
  session.on(verb, [options, &session] { return run_linkage(*options, session); });
}

}  // namespace tacit::cli

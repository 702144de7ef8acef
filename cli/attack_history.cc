#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>

#include "cli/attack_text.h"
#include "cli/attack_verbs.h"
#include "cli/option_checks.h"
#include "cli/progress_bar.h"
#include "cli/risk_text.h"
#include "cli/table.h"
#include "tacit/attacks/scoreboard.h"
#include "tacit/attacks/text_table.h"

namespace tacit::cli {
namespace {

using attacks::History;
using attacks::Scoreboard;
using nlohmann::json;

constexpr const char* kManual = R"(
Finds people in a release of histories, such as ratings, visits or searches
under pseudonyms, from a few events that are known of them, roughly (Narayanan
and Shmatikov 2008). Rare items tell most. A history is claimed where its score
stands out from all others by --eccentricity standard deviations.

What is known is a file with the same columns as the release, where the column
of the person has the targets' names; a column --truth of it may have their
pseudonyms, for judging. Without --known, an experiment: targets are drawn from
the release with --events events each, and are looked for again, once with any
items and once without rare ones.

Examples:
  tacit attack history ratings.csv --person user --item film --value stars \
    --within 1.5 --when date --days 30 --known friends.csv
  tacit attack history visits.csv --person patient --item clinic --when day \
    --day-error 14 --events 2,4,8)";

struct HistoryOptions {
  std::string release;
  attacks::HistoryColumns columns;
  attacks::ScoreboardOptions scoreboard;
  std::string known;
  std::string truth;
  std::vector<std::size_t> events{2, 4, 8};
  attacks::HistoryExperiment experiment;
  std::uint64_t seed = 1;
  std::size_t victims = 0;
};

// The pseudonym of each person of the known history.
Result<std::vector<std::string>> read_truth(const HistoryOptions& options, const History& known) {
  if (options.truth.empty()) return std::vector<std::string>();
  TACIT_ASSIGN_OR_RETURN(
      const auto table,
      attacks::TextTable::read(options.known, {options.columns.person, options.truth}));
  std::vector<std::string> out(known.people.size());
  for (std::size_t row = 0; row < table.rows(); ++row) {
    out[known.events[row].person] = table.text(1, row);
  }
  return out;
}

Result<void> run_known(const HistoryOptions& options, const History& release,
                       const Scoreboard& scoreboard, Session& session) {
  TACIT_ASSIGN_OR_RETURN(const History known, History::read(options.known, options.columns));
  TACIT_ASSIGN_OR_RETURN(const auto truth, read_truth(options, known));
  attacks::Report report =
      attacks::identify(release, scoreboard, known, truth, progress_bar("looking for people"));
  report.victims.resize(std::min(report.victims.size(), options.victims));
  if (session.json) {
    session.print(report_json(report));
  } else {
    session.print(report_text(report));
  }
  return {};
}

void run_experiment(const HistoryOptions& options, const History& release,
                    const Scoreboard& scoreboard, Session& session) {
  std::mt19937_64 generator(options.seed);
  json reports = json::array();
  Table table({{"known events", Table::Align::kRight},
               {"items"},
               {"found", Table::Align::kRight},
               {"of", Table::Align::kRight},
               {"share", Table::Align::kRight},
               {"95% interval", Table::Align::kRight}});
  for (const std::size_t events : options.events) {
    for (const bool only_popular : {false, true}) {
      attacks::HistoryExperiment experiment = options.experiment;
      experiment.events = events;
      experiment.only_popular = only_popular;
      attacks::Report report =
          attacks::reidentify(release, scoreboard, experiment, generator,
                              progress_bar(fmt::format("{} known events", events)));
      report.victims.resize(std::min(report.victims.size(), options.victims));
      const attacks::Share share = report.share();
      table.add({fmt::to_string(events), only_popular ? "no rare ones" : "any",
                 grouped_digits(report.successes), grouped_digits(report.targets),
                 percent_text(share.value),
                 percent_text(share.lower) + " to " + percent_text(share.upper)});
      reports.push_back(report_json(report));
    }
  }
  if (session.json) {
    session.print(json{{"people", release.people.size()}, {"experiments", std::move(reports)}});
    return;
  }
  session.print(
      fmt::format("{}\nGuessing finds one of {} people. Not for release: it tells of "
                  "people.\n",
                  table.to_string(), grouped_digits(release.people.size())));
}

Result<void> run_history(const HistoryOptions& options, Session& session) {
  TACIT_ASSIGN_OR_RETURN(const History release, History::read(options.release, options.columns));
  const Scoreboard scoreboard(release, options.scoreboard);
  if (!options.known.empty()) return run_known(options, release, scoreboard, session);
  run_experiment(options, release, scoreboard, session);
  return {};
}

void add_columns(CLI::App& verb, HistoryOptions& options) {
  verb.add_option("release", options.release, "A CSV, Parquet or JSON file of events")
      ->type_name("FILE")
      ->required();
  verb.add_option("--person", options.columns.person, "The column of pseudonyms")
      ->type_name("COLUMN")
      ->required();
  verb.add_option("--item", options.columns.item, "What was rated, visited, searched")
      ->type_name("COLUMN")
      ->required();
  CLI::Option* const value =
      verb.add_option("--value", options.columns.value, "A number, such as a rating")
          ->type_name("COLUMN");
  verb.add_option("--within", options.scoreboard.value_scale, "Values so far apart are not near")
      ->check(above_zero())
      ->needs(value)
      ->capture_default_str();
  CLI::Option* const when =
      verb.add_option("--when", options.columns.when, "A date")->type_name("COLUMN");
  verb.add_option("--days", options.scoreboard.day_scale, "Days so far apart are not near")
      ->check(above_zero())
      ->needs(when)
      ->capture_default_str();
}

}  // namespace

void add_attack_history(CLI::App& attack, Session& session) {
  auto options = std::make_shared<HistoryOptions>();
  CLI::App* const verb =
      add_verb(attack, session, "history", "Find people by a few events of theirs", kManual);
  add_columns(*verb, *options);
  verb->add_option("--eccentricity", options->scoreboard.least_eccentricity, "What a claim needs")
      ->check(at_least_zero())
      ->capture_default_str();
  CLI::Option* const known =
      verb->add_option("--known", options->known, "What is known of targets")->type_name("FILE");
  verb->add_option("--truth", options->truth, "Their pseudonyms, a column of what is known")
      ->type_name("COLUMN")
      ->needs(known);
  verb->add_option("--events", options->events, "Known events of each target [2,4,8]")
      ->delimiter(',')
      ->check(a_number_of_times())
      ->excludes(known);
  verb->add_option("--targets", options->experiment.targets, "Targets of the experiment")
      ->check(a_number_of_times())
      ->excludes(known)
      ->capture_default_str();
  verb->add_option("--value-error", options->experiment.value_error, "Known values are off by it")
      ->check(at_least_zero())
      ->excludes(known)
      ->capture_default_str();
  verb->add_option("--day-error", options->experiment.day_error, "Known days are off by it")
      ->check(at_least_zero())
      ->excludes(known)
      ->capture_default_str();
  verb->add_option("--seed", options->seed, "Of the experiment's draws")
      ->excludes(known)
      ->capture_default_str();
  verb->add_option("--show-victims", options->victims, "Examples to show")
      ->check(CLI::Range(std::size_t{0}, attacks::kMostVictims))
      ->capture_default_str();
  session.on(verb, [options, &session] { return run_history(*options, session); });
}

}  // namespace tacit::cli

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/attack_text.h"
#include "cli/attack_verbs.h"
#include "cli/progress_bar.h"
#include "tacit/attacks/averaging.h"
#include "tacit/attacks/value_recovery.h"

namespace tacit::cli {
namespace {

using nlohmann::json;

constexpr const char* kManual = R"(
Tells which values of people follow from sums over sets of them, such as counts
and totals that were published one by one. FILE is a CSV file with a line for
each sum, 1 for its members, and the standard deviation of noise, if any:

  sum,noise,Ann,Bob,Cleo
  310,0,1,1,1
  220,0,1,0,1
  truth,,100,90,120

The line of the truth is for judging and may be missing.

Exact sums of whole numbers are subtracted from each other in every way. Sums
over the same people with fresh noise are averaged first; one that is given
again as it was tells nothing new. With --bits values are 0 or 1, and noisy sums
are also tried by least squares and by linear programming.

Examples:
  tacit attack sums grades.csv
  tacit attack sums counts.csv --bits --json)";

struct SumsOptions {
  std::string file;
  bool bits = false;
  std::size_t victims = attacks::kMostVictims;
};

// How long somebody would have to ask for the least noisy sum that is not exact.
std::string patience(const attacks::SumsFile& file) {
  double least = 0;
  for (const double noise : file.noise) {
    if (noise > 0 && (least == 0 || noise < least)) least = noise;
  }
  if (least == 0) return "";
  return fmt::format(
      "With noise of deviation {:g} a whole number is known after {} fresh answers.\n", least,
      attacks::answers_until_known(least));
}

Result<void> run_sums(const SumsOptions& options, Session& session) {
  TACIT_ASSIGN_OR_RETURN(const auto file, attacks::SumsFile::read(options.file));
  const Progress bar = progress_bar("solving");
  auto found = attacks::recover_values(file, options.bits, bar);
  if (bar) bar(1, 1);
  if (!found) {
    if (found.error().kind == ErrorKind::kBadInput) {
      found.error().where = options.file + ": " + found.error().where;
    }
    return std::unexpected(std::move(found).error());
  }
  json all = json::array();
  std::string text;
  for (const attacks::RecoveredValues& recovered : *found) {
    attacks::Report report = judged(file, recovered, options.bits);
    report.victims.resize(std::min(report.victims.size(), options.victims));
    text += (text.empty() ? "" : "\n") + report_text(report);
    json one = report_json(report);
    json values = json::object();
    for (std::size_t person = 0; person < file.people.size(); ++person) {
      const auto& value = recovered.values[person];
      if (value) values[file.people[person]] = *value;
    }
    one["values"] = std::move(values);
    all.push_back(std::move(one));
  }
  if (session.json) {
    session.print(json{{"attacks", std::move(all)}});
  } else {
    session.print(text + patience(file));
  }
  return {};
}

}  // namespace

void add_attack_sums(CLI::App& attack, Session& session) {
  auto options = std::make_shared<SumsOptions>();
  CLI::App* const verb =
      add_verb(attack, session, "sums", "Values of people from sums over sets of them", kManual);
  verb->add_option("file", options->file, "The released sums, as CSV")
      ->type_name("FILE")
      ->required();
  verb->add_flag("--bits", options->bits, "Values are 0 or 1");
  verb->add_option("--show-victims", options->victims, "Known values to show")
      ->check(CLI::Range(std::size_t{0}, attacks::kMostVictims))
      ->capture_default_str();
  session.on(verb, [options, &session] { return run_sums(*options, session); });
}

}  // namespace tacit::cli

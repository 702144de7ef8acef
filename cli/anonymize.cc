#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "cli/anonymize_against.h"
#include "cli/anonymize_text.h"
#include "cli/answer_file.h"
#include "cli/command.h"
#include "cli/ledger_access.h"
#include "cli/microdata_access.h"
#include "cli/option_checks.h"
#include "cli/private_table.h"
#include "cli/progress_bar.h"
#include "cli/query_watch.h"
#include "cli/release_entry.h"
#include "cli/report_request.h"
#include "cli/report_text.h"
#include "cli/table_source.h"
#include "tacit/anonymize/choice.h"
#include "tacit/anonymize/matching_files.h"
#include "tacit/anonymize/microdata.h"
#include "tacit/anonymize/publish.h"
#include "tacit/attacks/planned_release.h"
#include "tacit/random/secure_stream.h"

namespace tacit::cli {
namespace {

using anonymize::Choice;
using anonymize::Microdata;
using anonymize::Policy;
using anonymize::PseudonymKey;

constexpr const char* kManual = R"(
Publishes a table in which people are hidden among others: finds the best of all
ways to make the quasi-identifiers coarser that satisfy the policy, lets the
engine write it, reads the written file again to check it, and says what was
lost and what risk is left. [method] in the policy chooses another way:
Mondrian, local recoding, cell suppression, microaggregation. Columns can be
changed before by noise, swapping, rounding and more, and a sample be drawn.
Rows come in a fresh secret order. Identifiers are dropped or become pseudonyms
by a keyed hash, whose key is kept in a file of its own.

This is not differential privacy: what an attacker can learn depends on what he
knows. So --accept-no-dp must be given, and in a workspace the release is
entered in the ledger with 'none proved' and named in every later certificate.

A policy with 'differential' in [privacy] asks for differential privacy: rows
are sampled, made coarser, and left out where too few are alike in all columns.
That is charged to the ledger of a workspace before a row is read.

'tacit inspect FILE' proposes a policy; docs/anonymize.md says all it may hold.
On failure no output is left behind. Ctrl-C while it searches takes the best
found so far; while microaggregation makes groups, and while the engine reads or
writes, it ends without an output (status 3).

A pattern such as 'visits-*.csv' names several files with the same columns. Or
--table names a table that the workspace declares, in DuckDB, PostgreSQL or
Spark: combinations are counted there, and the rows come here when the release
is written.

Two releases of the same people can give away together what neither does alone.
--against takes earlier ones, made by this policy or with its columns: a release
is refused where what all of them leave possible for a person is less than the
policy asks for, or repaired.

Examples:
  tacit inspect visits.parquet -o policy.toml
  tacit anonymize visits.parquet --policy policy.toml -o safe.parquet \
    --accept-no-dp
  tacit anonymize visits.csv --policy policy.toml -o safe.csv --accept-no-dp \
    --dataset clinic --as maria --json
  tacit anonymize june.csv --policy policy.toml -o safe-june.csv \
    --accept-no-dp --against safe-may.csv --repair
  tacit anonymize visits.csv --policy policy.toml -o safe.csv --accept-no-dp \
    --report report.html
  tacit anonymize 'visits-*.parquet' --policy policy.toml -o safe.parquet \
    --accept-no-dp
  tacit anonymize --dataset clinic --table visits --policy policy.toml \
    -o safe.parquet --accept-no-dp)";

struct AnonymizeOptions {
  Writer writer;
  AgainstOptions against;
  TableSource source;
  std::string policy;
  std::string output;
  std::string pseudonym_key;
  std::size_t effort = anonymize::kMostLooks;
  bool accept_no_dp = false;
  ReportRequest report;
};

Result<void> check(const AnonymizeOptions& options) {
  if (!anonymize::row_format(options.output)) {
    return bad_input(fmt::format("'{}' does not say how to write it", options.output), "--output",
                     "end its name in .csv, .parquet or .json");
  }
  TACIT_RETURN_IF_ERROR(options.source.check());
  TACIT_RETURN_IF_ERROR(check_writable(options.output, "--output"));
  if (anonymize::is_matched(options.source.file, options.output)) {
    return bad_input("it would replace the table itself, or be read as a part of it", "--output",
                     "name another file");
  }
  return options.report.check({options.source.file, options.policy, options.output});
}

Result<void> check_accepted(const AnonymizeOptions& options) {
  if (options.accept_no_dp) return {};
  return bad_input("no differential privacy is proved for an anonymized table", "--accept-no-dp",
                   "give it if you answer for the release all the same; in a workspace it is then "
                   "named in every later certificate");
}

bool has_pseudonyms(const Policy& policy) {
  return std::ranges::any_of(policy.columns, [](const auto& column) { return column.pseudonym; });
}

struct KeyFile {
  PseudonymKey key;
  std::filesystem::path file;
};

// The key of an earlier release, or a new one, beside the policy.
Result<std::optional<KeyFile>> key_of(const AnonymizeOptions& options, const Policy& policy) {
  if (!has_pseudonyms(policy)) return std::nullopt;
  const std::filesystem::path file =
      options.pseudonym_key.empty()
          ? std::filesystem::path(options.policy).replace_extension(".key")
          : std::filesystem::path(options.pseudonym_key);
  std::error_code error;
  if (std::filesystem::exists(file, error)) {
    TACIT_ASSIGN_OR_RETURN(PseudonymKey key, PseudonymKey::read(file));
    return KeyFile{std::move(key), file};
  }
  TACIT_ASSIGN_OR_RETURN(SecureStream stream, SecureStream::create());
  PseudonymKey key = PseudonymKey::create(stream);
  TACIT_RETURN_IF_ERROR(key.save_new(file));
  return KeyFile{std::move(key), file};
}

// Entered before a byte is written: a release that is not in the log cannot be.
Result<Permit> enter(ReleaseEntry& entry, const AnonymizeOptions& options, const Policy& policy) {
  TACIT_ASSIGN_OR_RETURN(
      const Cost cost,
      Cost::leaf(
          cost::NoneProved{.reason = fmt::format("an anonymized table with {}",
                                                 criterion_words(policy, policy.criteria.front()))},
          entry.dataset.neighbours));
  return entry.ledger->reserve(
      {.account = {.dataset = entry.dataset.name},
       .cost = cost,
       .who = options.writer.name(),
       .note = fmt::format("tacit anonymize {} -o {}",
                           std::filesystem::path(options.source.name()).filename().string(),
                           std::filesystem::path(options.output).filename().string()),
       .accept_none_proved = true});
}

// Ctrl-C ends the search with the best so far.
Result<Choice> choose_watched(const Microdata& data, const Policy& policy, std::size_t effort) {
  const InterruptWatch interrupts;
  const Progress bar = progress_bar("searching");
  auto choice = anonymize::choose(
      data, policy,
      [&](std::size_t looked_at, std::size_t most) {
        if (bar) bar(looked_at, most);
        return !interrupts.has_come();
      },
      effort);
  if (bar) bar(1, 1);
  return choice;
}

// Whether the whole report is asked for, which tries more than publishing needs.
bool wants_report(const AnonymizeOptions& options, const Session& session) {
  return session.json || options.report.has_page();
}

// What was published.
struct Outcome {
  const Microdata& data;
  const Policy& policy;
  const Choice& choice;
  const PublishedFacts& facts;
  const std::optional<AgainstFacts>& against;
};

Result<void> tell(const Outcome& made, const AnonymizeOptions& options, Session& session) {
  const auto& [data, policy, choice, facts, against] = made;
  std::optional<anonymize::Report> report;
  if (wants_report(options, session)) {
    report = anonymize::report_of(data, policy, choice, options.report.options(policy));
    TACIT_RETURN_IF_ERROR(
        options.report.write(*report, anonymized_page(data, policy, choice, facts)));
  }
  if (session.json && report) {
    nlohmann::json said = anonymized_json(data, policy, choice, facts);
    if (against) said["against"] = against_json(*against);
    said["report"] = report_json(*report);
    session.print(said);
    return {};
  }
  session.print(anonymized_text(data, policy, choice, facts) +
                (against ? against_text(*against) : ""));
  const auto found = anonymize::classification_of(data, policy, choice);
  if (found && policy.target) session.print(classification_text(*found, *policy.target));
  return {};
}

// A database keeps its rows, and pseudonyms are compared row by row.
Result<void> check_comparable(const TableSource& source, const Policy& policy) {
  if (policy.missing == anonymize::Missing::kAnything) {
    return bad_input("missing values that match anything are not compared with earlier releases",
                     "--against", "write missing = \"value\" in the policy");
  }
  if (source.is_declared()) {
    return bad_input("a table of a database is not compared with earlier releases", "--against",
                     "save it as a file first");
  }
  return attacks::check_comparable(policy);
}

Result<void> run_anonymize(const AnonymizeOptions& options, Session& session) {
  TACIT_RETURN_IF_ERROR(check(options));
  TACIT_ASSIGN_OR_RETURN(const Policy policy, Policy::read(options.policy));
  if (!policy.differential) TACIT_RETURN_IF_ERROR(check_accepted(options));
  TACIT_ASSIGN_OR_RETURN(auto entry,
                         ReleaseEntry::find(options.source.dataset, options.writer, session));
  if (!options.against.earlier.empty()) {
    TACIT_RETURN_IF_ERROR(check_comparable(options.source, policy));
  }
  if (policy.differential) {
    if (options.report.has_page()) {
      return bad_input("nothing is told of the rows behind a differentially private table",
                       "--report", "look at the published table with 'tacit risk' instead");
    }
    if (!options.against.earlier.empty()) {
      return bad_input(
          "what differentially private releases reveal together is bounded by the "
          "ledger",
          "--against", "leave it out");
    }
    if (!entry) {
      return bad_input(
          "a differentially private table is charged to a ledger, and there is no "
          "workspace here",
          policy.file, "make one with 'tacit init', or name it with --workspace");
    }
    if (options.source.is_declared()) {
      return bad_input("a differentially private table is made from files", "--table",
                       "name a Parquet file, or a CSV that is not compressed");
    }
    return publish_privately(options.source.file, options.output, options.writer.name(), policy,
                             *entry, session);
  }
  TACIT_ASSIGN_OR_RETURN(Engine engine, Engine::duckdb_in_memory(Engine::Files::kAllowed));
  using Sensitive = Microdata::Sensitive;
  const bool counts_all =
      wants_report(options, session) || policy.target || !options.against.earlier.empty();
  TACIT_ASSIGN_OR_RETURN(auto source, options.source.open(engine, session));
  TACIT_ASSIGN_OR_RETURN(const Microdata data,
                         read_watched(engine, std::move(source), policy,
                                      counts_all ? Sensitive::kAlways : Sensitive::kAsNeeded));
  TACIT_ASSIGN_OR_RETURN(Choice choice, choose_watched(data, policy, options.effort));
  TACIT_ASSIGN_OR_RETURN(const auto key, key_of(options, policy));
  const auto pseudonyms = key ? std::optional(key->key) : std::nullopt;
  std::optional<AgainstFacts> against;
  if (!options.against.earlier.empty()) {
    TACIT_ASSIGN_OR_RETURN(
        against, check_against(options.against, engine, data, policy, pseudonyms, choice));
  }
  std::optional<Permit> permit;
  PublishedFacts facts{.output = options.output, .repaired = against && against->suppressed > 0};
  if (key) facts.key_file = key->file.string();
  if (entry) {
    TACIT_ASSIGN_OR_RETURN(permit, enter(*entry, options, policy));
    facts.dataset = entry->dataset.name;
    facts.entry = permit->entry();
  }
  const QueryWatch watch(engine, "the engine writes");
  TACIT_RETURN_IF_ERROR(anonymize::publish(engine, data, policy, choice, pseudonyms,
                                           std::move(permit), options.output));
  return tell(
      {.data = data, .policy = policy, .choice = choice, .facts = facts, .against = against},
      options, session);
}

}  // namespace

void add_anonymize(CLI::App& app, Session& session) {
  auto options = std::make_shared<AnonymizeOptions>();
  CLI::App* const verb =
      add_verb(app, session, "anonymize", "Publish a table in which people are hidden", kManual);
  options->source.add_options(*verb, "Whose ledger account names the release");
  verb->add_option("--policy", options->policy, "Roles, hierarchies, criteria")
      ->type_name("FILE")
      ->required();
  verb->add_option("-o,--output", options->output, "The published table: .csv, .parquet or .json")
      ->type_name("FILE")
      ->required();
  verb->add_flag("--accept-no-dp", options->accept_no_dp,
                 "Your word that a table without differential privacy may leave");
  verb->add_option("--pseudonym-key", options->pseudonym_key,
                   "Secret of the pseudonyms; made where it is not there (default: beside the "
                   "policy, ending in .key)")
      ->type_name("FILE");
  verb->add_option("--effort", options->effort,
                   "How many recodings to look at where there are too many for the optimum")
      ->type_name("N")
      ->check(a_number_of_times())
      ->capture_default_str();
  options->against.add_options(*verb);
  options->writer.add_options(*verb);
  options->report.add_options(*verb);
  session.on(verb, [options, &session] { return run_anonymize(*options, session); });
}

}  // namespace tacit::cli

#include <fmt/format.h>

#include <functional>
#include <memory>
#include <optional>

#include "cli/attack_verbs.h"
#include "cli/command.h"
#include "cli/option_checks.h"
#include "cli/released_access.h"
#include "tacit/anonymize/hierarchy_rule.h"
#include "tacit/attacks/background_knowledge.h"
#include "tacit/attacks/homogeneity.h"
#include "tacit/attacks/similarity.h"
#include "tacit/attacks/skewness.h"

namespace tacit::cli {
namespace {

using anonymize::Hierarchy;
using attacks::ReleasedTable;
using attacks::Report;

constexpr const char* kHomogeneityManual = R"(
Finds classes (rows that look alike in the quasi-identifiers) whose rows all
have one sensitive value: whoever knows that a person is in such a class knows
the value, however large the class is. Guessing is the table's most frequent
value for everybody.

Examples:
  tacit attack homogeneity safe.csv --policy policy.toml
  tacit attack homogeneity safe.parquet --policy policy.toml --show-victims 5)";

constexpr const char* kBackgroundManual = R"(
As homogeneity, by one who knows of each person some values that the person
does not have (--excluded of them, those that help most): a class of three
values falls to one who can exclude two. Guessing is done by one who knows as
much but sees no classes.

Examples:
  tacit attack background safe.csv --policy policy.toml
  tacit attack background safe.csv --policy policy.toml --excluded 2)";

constexpr const char* kSkewnessManual = R"(
Guesses for each person the value that is most frequent in the class, and shows
which value rises most from its share in the table to that in a class. Guessing
is the table's most frequent value for everybody.

Examples:
  tacit attack skewness safe.csv --policy policy.toml
  tacit attack skewness safe.csv --policy policy.toml --sensitive disease)";

constexpr const char* kSimilarityManual = R"(
Finds classes whose values differ but say much the same: by --taxonomy, a file
with a line for each value and what it is a case of, level by level (as the
hierarchies of a policy), all under one node of --level; or numbers --within a
width of each other. Without either, the hierarchy that the policy gives the
column is the taxonomy. Guessing is the most frequent node, or the interval of
that width with the most rows, for everybody.

Examples:
  tacit attack similarity safe.csv --policy policy.toml --sensitive disease \
    --taxonomy diseases.csv --level 1
  tacit attack similarity safe.csv --policy policy.toml --sensitive salary \
    --within 10000)";

// Runs an attack on each column that was asked for.
using Attack =
    std::function<Result<Report>(const ReleasedTable&, std::size_t, const anonymize::Policy&)>;

Result<void> run(const ReleaseOptions& options, const Attack& attack, Session& session) {
  TACIT_ASSIGN_OR_RETURN(const auto policy, anonymize::Policy::read(options.policy));
  TACIT_ASSIGN_OR_RETURN(const ReleasedTable release, read_released(options.release, policy));
  TACIT_ASSIGN_OR_RETURN(const auto columns, attacked_columns(options, release));
  std::vector<ColumnReport> reports;
  for (const std::size_t column : columns) {
    TACIT_ASSIGN_OR_RETURN(Report report, attack(release, column, policy));
    reports.push_back({.column = release.sensitive[column].name, .report = std::move(report)});
  }
  print_reports(options, std::move(reports), session);
  return {};
}

Attack without_policy(Report (*attack)(const ReleasedTable&, std::size_t)) {
  return [attack](const ReleasedTable& release, std::size_t column, const auto& /*policy*/) {
    return attack(release, column);
  };
}

CLI::App* add_table_verb(CLI::App& attack, Session& session, ReleaseOptions& options,
                         const std::string& name, const std::string& summary,
                         const std::string& manual) {
  CLI::App* const verb = add_verb(attack, session, name, summary, manual);
  verb->add_option("release", options.release, "The published table: CSV, Parquet or JSON")
      ->type_name("FILE")
      ->required();
  options.add_options(*verb);
  return verb;
}

void add_homogeneity(CLI::App& attack, Session& session) {
  auto options = std::make_shared<ReleaseOptions>();
  CLI::App* const verb = add_table_verb(attack, session, *options, "homogeneity",
                                        "Classes of a table with one value", kHomogeneityManual);
  session.on(verb, [options, &session] {
    return run(*options, without_policy(attacks::homogeneity), session);
  });
}

void add_skewness(CLI::App& attack, Session& session) {
  auto options = std::make_shared<ReleaseOptions>();
  CLI::App* const verb = add_table_verb(attack, session, *options, "skewness",
                                        "Classes where a value is frequent", kSkewnessManual);
  session.on(verb, [options, &session] {
    return run(*options, without_policy(attacks::skewness), session);
  });
}

struct BackgroundOptions {
  ReleaseOptions release;
  std::size_t excluded = 1;
};

void add_background(CLI::App& attack, Session& session) {
  auto options = std::make_shared<BackgroundOptions>();
  CLI::App* const verb =
      add_table_verb(attack, session, options->release, "background",
                     "Values that are left when some are known not to be", kBackgroundManual);
  verb->add_option("--excluded", options->excluded, "Values the adversary can exclude")
      ->type_name("N")
      ->capture_default_str();
  session.on(verb, [options, &session] {
    const auto attacked = [&](const ReleasedTable& release, std::size_t column,
                              const auto& /*policy*/) {
      return attacks::background_knowledge(release, column, options->excluded);
    };
    return run(options->release, attacked, session);
  });
}

struct SimilarityOptions {
  ReleaseOptions release;
  std::string taxonomy;
  std::size_t level = 1;
  std::optional<double> within;
};

Result<Report> similar(const SimilarityOptions& options, const ReleasedTable& release,
                       std::size_t column, const anonymize::Policy& policy) {
  if (options.within) return attacks::closeness(release, column, *options.within);
  const ReleasedTable::Column& own = release.sensitive[column];
  if (!options.taxonomy.empty()) {
    TACIT_ASSIGN_OR_RETURN(
        const Hierarchy given,
        build_hierarchy(anonymize::rule::Taxonomy{.file = options.taxonomy}, own.values, own.name));
    return attacks::similarity(release, column, given, options.level);
  }
  TACIT_ASSIGN_OR_RETURN(const auto known, attacks::taxonomy_of(own, policy));
  if (known) return attacks::similarity(release, column, *known, options.level);
  return bad_input(fmt::format("which values of {} are alike is not said", own.name), "similarity",
                   "give --taxonomy FILE, or --within WIDTH for numbers, or a hierarchy in the "
                   "policy");
}

void add_similarity(CLI::App& attack, Session& session) {
  auto options = std::make_shared<SimilarityOptions>();
  CLI::App* const verb =
      add_table_verb(attack, session, options->release, "similarity",
                     "Classes whose values say much the same", kSimilarityManual);
  auto* const taxonomy =
      verb->add_option("--taxonomy", options->taxonomy, "What each value is a case of")
          ->type_name("FILE");
  verb->add_option("--level", options->level, "Level of the taxonomy")
      ->type_name("N")
      ->capture_default_str();
  verb->add_option("--within", options->within, "Numbers within this width are alike")
      ->type_name("WIDTH")
      ->check(at_least_zero())
      ->excludes(taxonomy);
  session.on(verb, [options, &session] {
    const auto attacked = [&](const ReleasedTable& release, std::size_t column,
                              const anonymize::Policy& policy) {
      return similar(*options, release, column, policy);
    };
    return run(options->release, attacked, session);
  });
}

}  // namespace

void add_attacks_on_table(CLI::App& attack, Session& session) {
  add_homogeneity(attack, session);
  add_background(attack, session);
  add_skewness(attack, session);
  add_similarity(attack, session);
}

}  // namespace tacit::cli

#include "cli/anonymize_against.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "cli/ledger_text.h"
#include "cli/released_access.h"
#include "cli/risk_text.h"
#include "tacit/attacks/joint_exposure.h"
#include "tacit/attacks/matching_classes.h"
#include "tacit/attacks/planned_release.h"
#include "tacit/attacks/shared_pseudonyms.h"

namespace tacit::cli {
namespace {

using anonymize::Choice;
using anonymize::Microdata;
using anonymize::Policy;
using attacks::JointExposure;
using attacks::PlannedRelease;
using attacks::ReleasedTable;

// Rows that carry the same pseudonym need no attack.
Result<void> check_pseudonyms(const AgainstOptions& options, Engine& engine, const Microdata& data,
                              const Policy& policy, const anonymize::PseudonymKey& key) {
  for (const std::string& file : options.earlier) {
    TACIT_ASSIGN_OR_RETURN(const auto shared,
                           attacks::shared_pseudonyms(engine, data, policy, key, file));
    if (shared.empty()) continue;
    return bad_input(
        fmt::format("{} rows would have a pseudonym of {} that '{}' has too: whoever has both "
                    "releases can put these rows side by side",
                    shared.front().rows, shared.front().column, file),
        "--against", "name a file that is not there with --pseudonym-key: a new key is made");
  }
  return {};
}

std::uint64_t rows_of(const PlannedRelease& planned, const JointExposure& exposure) {
  std::uint64_t out = 0;
  for (const std::uint32_t each : exposure.classes) out += planned.table.classes.counts[each];
  return out;
}

std::unexpected<Error> refusal(const AgainstOptions& options, const PlannedRelease& planned,
                               const JointExposure& exposure) {
  return bad_input(
      fmt::format("together with {} it reveals more than the policy allows: of {} people who may "
                  "be in both, {} keep too few possible values, {} more too few rows to hide among",
                  fmt::join(options.earlier, ", "), exposure.checked, exposure.by_values,
                  exposure.by_rows),
      "--against",
      fmt::format("give --repair to suppress the {} rows of their classes too, or ask for coarser "
                  "classes in the policy",
                  rows_of(planned, exposure)));
}

}  // namespace

void AgainstOptions::add_options(CLI::App& verb) {
  CLI::Option* const against =
      verb.add_option("--against", earlier,
                      "An earlier release of the same people: refuse what both reveal together; "
                      "repeatable")
          ->type_name("FILE")
          ->allow_extra_args(false);
  verb.add_flag("--repair", repair, "Suppress the rows that --against would refuse")
      ->needs(against);
}

Result<AgainstFacts> check_against(const AgainstOptions& options, Engine& engine,
                                   const Microdata& data, const Policy& policy,
                                   const std::optional<anonymize::PseudonymKey>& key,
                                   Choice& choice) {
  if (key) TACIT_RETURN_IF_ERROR(check_pseudonyms(options, engine, data, policy, *key));
  const ReleasedTable people = ReleasedTable::of(data);
  std::vector<ReleasedTable> earlier;
  for (const std::string& each : options.earlier) {
    TACIT_ASSIGN_OR_RETURN(ReleasedTable table, read_released(each, policy));
    earlier.push_back(std::move(table));
  }
  AgainstFacts out{.releases = earlier.size()};
  const std::uint64_t suppressed = choice.recoding.suppressed;
  for (bool is_first = true;; is_first = false) {
    TACIT_ASSIGN_OR_RETURN(const PlannedRelease planned, PlannedRelease::create(data, choice));
    const JointExposure exposure =
        attacks::joint_exposure(people, data.hierarchies, policy, planned.table, earlier);
    if (is_first) {
      out.people = exposure.checked;
      out.exposed = exposure.people();
    }
    if (exposure.people() == 0) break;
    if (!options.repair) return refusal(options, planned, exposure);
    TACIT_RETURN_IF_ERROR(
        attacks::suppress_classes(exposure.classes, planned, data, policy, choice));
  }
  out.suppressed = choice.recoding.suppressed - suppressed;
  return out;
}

std::string against_text(const AgainstFacts& facts) {
  std::string text = fmt::format(
      "Together with {}, in which {} of its people may be too, it reveals no more than the "
      "policy allows.",
      facts.releases == 1 ? "the earlier release"
                          : fmt::format("{} earlier releases", facts.releases),
      grouped_digits(facts.people));
  if (facts.suppressed > 0) {
    text += fmt::format(
        " For that {} further rows were suppressed: {} people would have been "
        "exposed.",
        grouped_digits(facts.suppressed), grouped_digits(facts.exposed));
  }
  return wrapped(text, 0);
}

nlohmann::json against_json(const AgainstFacts& facts) {
  return {{"releases", facts.releases},
          {"people", facts.people},
          {"exposed", facts.exposed},
          {"suppressed", facts.suppressed}};
}

}  // namespace tacit::cli

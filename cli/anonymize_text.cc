#include "cli/anonymize_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/ledger_text.h"
#include "cli/partition_text.h"
#include "cli/risk_text.h"
#include "cli/table.h"

namespace tacit::cli {
namespace {

using anonymize::Choice;
using anonymize::ColumnUtility;
using anonymize::Hierarchy;
using anonymize::Microdata;
using anonymize::Policy;

std::vector<ColumnUtility> utilities_of(const Microdata& data, const Choice& choice) {
  std::vector<ColumnUtility> out;
  for (std::size_t i = 0; i < data.hierarchies.size(); ++i) {
    const Hierarchy& hierarchy = data.hierarchies[i];
    out.push_back(anonymize::column_utility(
        hierarchy, choice.recoding.node[i],
        anonymize::leaf_rows(data.records, choice.is_kept, i, hierarchy)));
  }
  return out;
}

std::string levels_table(const Microdata& data, const Choice& choice) {
  Table table({{"quasi-identifier", Table::Align::kLeft},
               {"level", Table::Align::kRight},
               {"of", Table::Align::kRight},
               {"values", Table::Align::kRight},
               {"before", Table::Align::kRight},
               {"kept", Table::Align::kRight}});
  const std::vector<ColumnUtility> utilities = utilities_of(data, choice);
  for (std::size_t i = 0; i < utilities.size(); ++i) {
    const ColumnUtility& kept = utilities[i];
    table.add({abbreviated(printable(data.quasi_identifiers[i].name), 40),
               std::to_string(kept.level.value_or(0)), std::to_string(kept.levels - 1),
               grouped_digits(kept.values_after), grouped_digits(kept.values_before),
               fmt::format("{:.0f}%", 100 * kept.granularity)});
  }
  return table.to_string();
}

std::string entry_number(const PublishedFacts& facts) {
  return facts.entry.substr(0, facts.entry.find(':'));
}

// "5-anonymity", "recursive (4,5)-diversity of occupation".
std::vector<std::string> criteria_of(const Microdata& data, const Policy& policy) {
  std::vector<std::string> out;
  for (const anonymize::CriterionRule& rule : policy.criteria) {
    const auto column = anonymize::sensitive_column(rule);
    out.push_back(column
                      ? fmt::format("{} of {}", anonymize::name(rule), data.sensitive[*column].name)
                      : criterion_words(policy, rule));
  }
  return out;
}

constexpr const char* kNoGuarantee =
    "This is not differential privacy: no such guarantee is proved.";

std::string rows_words(const Microdata& data, const Choice& choice) {
  const std::uint64_t rows = data.records.rows;
  return fmt::format(
      "{} of {} rows; {} suppressed ({:.2f}%)", grouped_digits(choice.risk.rows),
      grouped_digits(rows), grouped_digits(choice.recoding.suppressed),
      100 * static_cast<double>(choice.recoding.suppressed) / static_cast<double>(rows));
}

// Of a search that could not look everywhere.
std::string bounded_words(const Policy& policy, const Choice& choice, double at_least) {
  const bool is_countless = choice.nodes == SIZE_MAX;
  return fmt::format(
      "{} {:.8g}, the least found; no recoding has less than {:.8g} ({} of {} were "
      "looked at).",
      anonymize::name(policy.measure), choice.recoding.score, at_least,
      grouped_digits(choice.looked_at),
      is_countless ? "more than 10^19" : grouped_digits(choice.nodes));
}

std::string score_words(const Policy& policy, const Choice& choice, const PublishedFacts& facts) {
  if (choice.at_least && !choice.is_best) return bounded_words(policy, choice, *choice.at_least);
  return fmt::format("{} {:.8g}, the least {} {} recodings ({} were looked at){}.",
                     anonymize::name(policy.measure), choice.recoding.score,
                     choice.is_best ? "of all" : "that was found before the end among",
                     grouped_digits(choice.nodes), grouped_digits(choice.looked_at),
                     facts.repaired ? " but for the rows suppressed after it" : "");
}

// How it was made, for the page.
std::string how_words(const Policy& policy, const Choice& choice, const PublishedFacts& facts) {
  if (!choice.partition) return "It has " + score_words(policy, choice, facts);
  return fmt::format("By {}: a cell stands for {:.2f}% of its column on average.",
                     anonymize::name(policy.method), 100 * choice.partition->penalty());
}

// What was done to the quasi-identifiers.
std::string recoding_text(const Microdata& data, const Policy& policy, const Choice& choice,
                          const PublishedFacts& facts) {
  if (choice.partition) return partition_text(data, policy, *choice.partition);
  return fmt::format("{}\n{}", levels_table(data, choice),
                     wrapped(score_words(policy, choice, facts), 0));
}

// What was done to rows and columns before anything else.
std::string changes_words(const Policy& policy) {
  std::vector<std::string> parts;
  if (policy.sample) parts.push_back(fmt::format("a sample of {}", policy.sample->to_string()));
  for (const anonymize::ColumnPolicy& column : policy.columns) {
    if (column.change.is_none()) continue;
    parts.push_back(fmt::format("{} {}", printable(column.name), column.change.to_string()));
  }
  if (parts.empty()) return {};
  return fmt::format("Changed before, and 'before' is after it: {}.", fmt::join(parts, "; "));
}

nlohmann::json changes_json(const Policy& policy) {
  nlohmann::json out = nlohmann::json::object();
  for (const anonymize::ColumnPolicy& column : policy.columns) {
    if (!column.change.is_none()) out[column.name] = column.change.to_string();
  }
  return out;
}

// What is to be known of the release beside the numbers.
std::vector<std::string> notes_of(const Policy& policy, const PublishedFacts& facts) {
  std::vector<std::string> out;
  if (std::string words = changes_words(policy); !words.empty()) out.push_back(std::move(words));
  if (policy.missing == anonymize::Missing::kAnything) {
    out.emplace_back(
        "Rows that miss values count as candidates, though one that shows all of them is likelier. "
        "Classes and risks above take a missing value as a value of its own.");
  }
  if (facts.dataset) {
    out.push_back(
        fmt::format("Entered in the ledger of {} as entry {}, without a proved "
                    "guarantee; every later certificate names it.",
                    printable(*facts.dataset), entry_number(facts)));
  }
  if (facts.key_file) {
    out.push_back(
        fmt::format("Pseudonyms are made by the key in {}. Whoever has it can test names "
                    "against them: keep it apart from the table.",
                    printable(*facts.key_file)));
  }
  return out;
}

std::string closing_words(const Microdata& data, const Policy& policy,
                          const PublishedFacts& facts) {
  std::string text = wrapped(fmt::format("Satisfied, and checked again on the written file: {}. {}",
                                         fmt::join(criteria_of(data, policy), ", "), kNoGuarantee),
                             0);
  for (const std::string& note : notes_of(policy, facts)) text += wrapped(note, 0);
  return text;
}

}  // namespace

std::string criterion_words(const Policy& policy, const anonymize::CriterionRule& rule) {
  const bool matches = policy.missing == anonymize::Missing::kAnything;
  return anonymize::name(rule) + (matches ? " where missing values match anything" : "");
}

std::string anonymized_text(const Microdata& data, const Policy& policy, const Choice& choice,
                            const PublishedFacts& facts) {
  return fmt::format(
      "{}\n{}\n{}\n{}",
      wrapped(fmt::format("{}: {}.", printable(facts.output), rows_words(data, choice)), 0),
      recoding_text(data, policy, choice, facts),
      risk_table({{"before", data.risk()}, {"published", choice.risk}}),
      closing_words(data, policy, facts));
}

nlohmann::json anonymized_json(const Microdata& data, const Policy& policy, const Choice& choice,
                               const PublishedFacts& facts) {
  nlohmann::json levels =
      choice.partition ? partition_json(data, *choice.partition) : nlohmann::json::array();
  const std::vector<ColumnUtility> utilities =
      choice.partition ? std::vector<ColumnUtility>{} : utilities_of(data, choice);
  for (std::size_t i = 0; i < utilities.size(); ++i) {
    levels.push_back({{"column", data.quasi_identifiers[i].name},
                      {"level", utilities[i].level.value_or(0)},
                      {"levels", utilities[i].levels},
                      {"values", utilities[i].values_after},
                      {"values_before", utilities[i].values_before}});
  }
  nlohmann::json out = {
      {"output", facts.output},
      {"rows", data.records.rows},
      {"suppressed", choice.recoding.suppressed},
      {"method", anonymize::name(policy.method)},
      {"measure", choice.partition ? "penalty" : anonymize::name(policy.measure)},
      {"score", choice.recoding.score},
      {"levels", levels},
      {"nodes", {{"all", choice.nodes}, {"looked_at", choice.looked_at}}},
      {"criteria", criteria_of(data, policy)},
      {"is_best", choice.is_best},
      {"score_at_least", choice.at_least ? nlohmann::json(*choice.at_least) : nlohmann::json()},
      {"changes", changes_json(policy)},
      {"guarantee", "none proved"},
      {"risk", {{"before", risk_json(data.risk())}, {"published", risk_json(choice.risk)}}},
      {"dataset", nullptr},
      {"entry", nullptr},
      {"pseudonym_key", nullptr}};
  if (facts.dataset) {
    out["dataset"] = *facts.dataset;
    out["entry"] = facts.entry;
  }
  if (facts.key_file) out["pseudonym_key"] = *facts.key_file;
  return out;
}

anonymize::PageFacts anonymized_page(const Microdata& data, const Policy& policy,
                                     const Choice& choice, const PublishedFacts& facts) {
  const auto file_name = [](const std::string& path) {
    return std::filesystem::path(path).filename().string();
  };
  return {
      .title = file_name(facts.output),
      .lead = fmt::format("Made from {}: {}. {}", file_name(data.source.name()),
                          rows_words(data, choice), how_words(policy, choice, facts)),
      .measure = std::string(anonymize::name(policy.measure)),
      .target = policy.target.value_or(""),
      .criteria = criteria_of(data, policy),
      .guarantee = fmt::format("Checked again on the written file. {} What somebody learns from "
                               "the table depends on what else he knows.",
                               kNoGuarantee),
      .notes = notes_of(policy, facts)};
}

}  // namespace tacit::cli

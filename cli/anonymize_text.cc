#include "cli/anonymize_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "cli/ledger_text.h"
#include "cli/risk_text.h"
#include "cli/table.h"

namespace tacit::cli {
namespace {

using anonymize::Choice;
using anonymize::Microdata;
using anonymize::Policy;

std::string levels_table(const Microdata& data, const Choice& choice) {
  Table table({{"quasi-identifier", Table::Align::kLeft},
               {"level", Table::Align::kRight},
               {"of", Table::Align::kRight},
               {"values", Table::Align::kRight},
               {"before", Table::Align::kRight}});
  for (std::size_t i = 0; i < data.hierarchies.size(); ++i) {
    const auto& hierarchy = data.hierarchies[i];
    const std::size_t level = choice.recoding.node[i];
    table.add({abbreviated(printable(data.quasi_identifiers[i].name), 40), std::to_string(level),
               std::to_string(hierarchy.levels() - 1), grouped_digits(data.values_at(i, level)),
               grouped_digits(data.values_at(i, 0))});
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
                      : anonymize::name(rule));
  }
  return out;
}

std::string closing_words(const Microdata& data, const Policy& policy,
                          const PublishedFacts& facts) {
  std::string text =
      wrapped(fmt::format("Satisfied, and checked again on the written file: {}. This is not "
                          "differential privacy: no such guarantee is proved.",
                          fmt::join(criteria_of(data, policy), ", ")),
              0);
  if (facts.dataset) {
    text += wrapped(fmt::format("Entered in the ledger of {} as entry {}, without a proved "
                                "guarantee; every later certificate names it.",
                                printable(*facts.dataset), entry_number(facts)),
                    0);
  }
  if (facts.key_file) {
    text += wrapped(fmt::format("Pseudonyms are made by the key in {}. Whoever has it can test "
                                "names against them: keep it apart from the table.",
                                printable(*facts.key_file)),
                    0);
  }
  return text;
}

}  // namespace

std::string anonymized_text(const Microdata& data, const Policy& policy, const Choice& choice,
                            const PublishedFacts& facts) {
  const std::uint64_t rows = data.records.rows;
  return fmt::format(
      "{}\n{}\n{}\n{}\n{}",
      wrapped(fmt::format("{}: {} of {} rows; {} suppressed ({:.2f}%).", printable(facts.output),
                          grouped_digits(choice.risk.rows), grouped_digits(rows),
                          grouped_digits(choice.recoding.suppressed),
                          100 * static_cast<double>(choice.recoding.suppressed) /
                              static_cast<double>(rows)),
              0),
      levels_table(data, choice),
      wrapped(fmt::format("{} {:.8g}, the least {} {} recodings ({} were looked at){}.",
                          anonymize::name(policy.measure), choice.recoding.score,
                          choice.is_best ? "of all" : "that was found before the end among",
                          grouped_digits(choice.nodes), grouped_digits(choice.looked_at),
                          facts.repaired ? " but for the rows suppressed after it" : ""),
              0),
      risk_table({{"before", data.risk()}, {"published", choice.risk}}),
      closing_words(data, policy, facts));
}

nlohmann::json anonymized_json(const Microdata& data, const Policy& policy, const Choice& choice,
                               const PublishedFacts& facts) {
  nlohmann::json levels = nlohmann::json::array();
  for (std::size_t i = 0; i < data.hierarchies.size(); ++i) {
    levels.push_back({{"column", data.quasi_identifiers[i].name},
                      {"level", choice.recoding.node[i]},
                      {"levels", data.hierarchies[i].levels()},
                      {"values", data.values_at(i, choice.recoding.node[i])},
                      {"values_before", data.values_at(i, 0)}});
  }
  nlohmann::json out = {
      {"output", facts.output},
      {"rows", data.records.rows},
      {"suppressed", choice.recoding.suppressed},
      {"measure", anonymize::name(policy.measure)},
      {"score", choice.recoding.score},
      {"levels", levels},
      {"nodes", {{"all", choice.nodes}, {"looked_at", choice.looked_at}}},
      {"criteria", criteria_of(data, policy)},
      {"is_best", choice.is_best},
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

}  // namespace tacit::cli

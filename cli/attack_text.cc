#include "cli/attack_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/ledger_text.h"
#include "cli/risk_text.h"
#include "cli/table.h"

namespace tacit::cli {
namespace {

using nlohmann::json;

std::string verdict(const attacks::Report& report) {
  if (report.targets == 0) return "There was nobody to attack.";
  if (!report.checked && report.is_certain) return "What is claimed follows from the release.";
  if (!report.checked) return "Whether the claims are right is not known here.";
  return report.beats_guessing() ? "The release helps the adversary."
                                 : "The release does not help the adversary beyond chance.";
}

}  // namespace

std::string percent_text(double share) {
  const double percent = 100 * share;
  return percent == 0 || percent >= 0.1 ? fmt::format("{:.2f}%", percent)
                                        : fmt::format("{:.2g}%", percent);
}

std::string victims_table(const attacks::Report& report) {
  constexpr std::size_t kWidth = 38;  // of a cell, so that two keep to 80 columns
  Table table({{report.checked ? "victim" : "claimed"}, {"learned"}});
  for (const attacks::Victim& victim : report.victims) {
    table.add({printable(abbreviated(victim.who, kWidth)),
               printable(abbreviated(victim.learned, kWidth))});
  }
  return table.to_string();
}

std::string report_text(const attacks::Report& report) {
  const attacks::Share share = report.share();
  std::string text = wrapped(report.attack + ". The adversary knows " + report.adversary + ".", 0);
  Table table({{report.checked ? "succeeded" : "claimed"},
               {"of", Table::Align::kRight},
               {"share", Table::Align::kRight},
               {"95% interval", Table::Align::kRight},
               {"guessing", Table::Align::kRight}});
  table.add({grouped_digits(report.successes), grouped_digits(report.targets),
             percent_text(share.value),
             percent_text(share.lower) + " to " + percent_text(share.upper),
             percent_text(report.baseline)});
  const std::string finding =
      report.finding.empty() ? "" : wrapped("Found: " + printable(report.finding) + ".", 0);
  const std::string victims = report.victims.empty() ? "" : "\n" + victims_table(report);
  return fmt::format("{}\n{}\n{}\n{}{}\nNot for release: it tells of people.\n", text,
                     table.to_string(), verdict(report), finding, victims);
}

json report_json(const attacks::Report& report) {
  const attacks::Share share = report.share();
  json victims = json::array();
  for (const attacks::Victim& victim : report.victims) {
    victims.push_back({{"who", victim.who}, {"learned", victim.learned}});
  }
  return {{"attack", report.attack},
          {"adversary", report.adversary},
          {"targets", report.targets},
          {"successes", report.successes},
          {"checked", report.checked},
          {"share", {{"value", share.value}, {"lower", share.lower}, {"upper", share.upper}}},
          {"baseline", report.baseline},
          {"certain", report.is_certain},
          {"finding", report.finding},
          {"beats_guessing", report.checked && report.beats_guessing()},
          {"victims", std::move(victims)}};
}

}  // namespace tacit::cli

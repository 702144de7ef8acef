#include "cli/report_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/ledger_text.h"
#include "cli/risk_text.h"
#include "cli/table.h"
#include "tacit/anonymize/report/markup.h"

namespace tacit::cli {
namespace {

using anonymize::percent;
using anonymize::Report;
using anonymize::SampleUniques;
using anonymize::TableReport;
using nlohmann::json;

constexpr auto kLeft = Table::Align::kLeft;
constexpr auto kRight = Table::Align::kRight;

std::string estimate(const std::optional<double>& part) { return part ? percent(*part) : "-"; }

std::string population_text(const TableReport& report) {
  Table table({{"table is", kRight},
               {"Pitman", kRight},
               {"Zayatz", kRight},
               {"SNB", kRight},
               {"Dankar", kRight},
               {"individual", kRight},
               {"highest", kRight},
               {"intrusion", kRight}});
  for (const anonymize::PopulationRisk& found : report.population) {
    table.add({fmt::format("{:g}%", 100 * found.sampling_fraction), estimate(found.uniques.pitman),
               estimate(found.uniques.zayatz), estimate(found.uniques.slide_negative_binomial),
               percent(found.uniques.dankar()), percent(found.individual.average),
               percent(found.individual.highest), percent(found.intrusion)});
  }
  return wrapped(
             "If the table is this part of a population: the part of the population that is unique "
             "in it, by three models and by Dankar's choice of them; the individual risk of a row "
             "on average and at most; and the chance that a match of a lone row is right.",
             0) +
         "\n" + table.to_string();
}

std::string uniques_text(const SampleUniques& special, const Report& report) {
  std::string sizes;
  for (std::size_t i = 0; i < special.by_size.size(); ++i) {
    sizes += fmt::format("{}{} of {} column{}", i == 0 ? "" : ", ",
                         grouped_digits(special.by_size[i]), i + 1, i == 0 ? "" : "s");
  }
  Table table({{"column", kLeft}, {"part of SUDA scores", kRight}});
  for (std::size_t c = 0; c < report.columns.size(); ++c) {
    table.add(
        {abbreviated(printable(report.columns[c].name), 40), percent(special.contributions[c])});
  }
  return wrapped(fmt::format("Minimal sample uniques, sets of columns that tell a row from all "
                             "others: {}. {} rows have one; the highest score is {:.6g}.",
                             sizes, grouped_digits(special.special), special.highest()),
                 0) +
         "\n" + table.to_string();
}

double certain_part(const anonymize::Disclosure& found) {
  return found.rows == 0 ? 0 : static_cast<double>(found.certain) / static_cast<double>(found.rows);
}

std::string disclosure_text(const Report& report) {
  Table table({{"sensitive", kLeft},
               {"certain", kRight},
               {"guessed right", kRight},
               {"without classes", kRight},
               {"largest share", kRight}});
  for (std::size_t i = 0; i < report.sensitive.size(); ++i) {
    const anonymize::Disclosure& found = report.table.disclosures[i];
    table.add({abbreviated(printable(report.sensitive[i]), 24), percent(certain_part(found)),
               percent(found.average), percent(found.baseline), percent(found.highest)});
  }
  return table.to_string();
}

json to_json(const std::optional<double>& value) { return value ? json(*value) : json(); }

json population_json(const anonymize::PopulationRisk& found) {
  const anonymize::PopulationUniques& uniques = found.uniques;
  return {{"sampling_fraction", found.sampling_fraction},
          {"population_uniques",
           {{"pitman", to_json(uniques.pitman)},
            {"zayatz", to_json(uniques.zayatz)},
            {"slide_negative_binomial", to_json(uniques.slide_negative_binomial)},
            {"dankar", uniques.dankar()}}},
          {"individual_risk",
           {{"average", found.individual.average},
            {"highest", found.individual.highest},
            {"expected_rows", found.individual.expected}}},
          {"intrusion_success", found.intrusion}};
}

json uniques_json(const SampleUniques& special, const Report& report) {
  json parts = json::object();
  for (std::size_t c = 0; c < report.columns.size(); ++c) {
    parts[report.columns[c].name] = special.contributions[c];
  }
  return {{"largest_set", special.largest},
          {"by_size", special.by_size},
          {"rows", special.special},
          {"highest_score", special.highest()},
          {"contributions", parts}};
}

json table_json(const TableReport& table, const Report& report) {
  json sizes = json::array();
  for (const auto& [size, classes] : table.sizes.classes()) sizes.push_back({size, classes});
  json population = json::array();
  for (const auto& found : table.population) population.push_back(population_json(found));
  json disclosures = json::object();
  for (std::size_t i = 0; i < table.disclosures.size(); ++i) {
    const anonymize::Disclosure& found = table.disclosures[i];
    disclosures[report.sensitive[i]] = {{"certain", certain_part(found)},
                                        {"guessed_right", found.average},
                                        {"baseline", found.baseline},
                                        {"largest_share", found.highest}};
  }
  return {{"risk", risk_json(table.risk)},
          {"class_sizes", sizes},
          {"population", population},
          {"sample_uniques", table.special ? uniques_json(*table.special, report) : json()},
          {"disclosure", disclosures}};
}

json columns_json(const Report& report) {
  json out = json::array();
  for (const anonymize::ColumnReport& column : report.columns) {
    const anonymize::ColumnUtility& kept = column.utility;
    out.push_back({{"column", column.name},
                   {"values_before", kept.values_before},
                   {"values", kept.values_after},
                   {"kept",
                    {{"granularity", kept.granularity},
                     {"entropy", kept.entropy},
                     {"precision", to_json(kept.precision)}}}});
  }
  return out;
}

json lattice_json(const std::vector<anonymize::LatticePoint>& points) {
  json out = json::array();
  for (const anonymize::LatticePoint& point : points) {
    out.push_back({{"levels", point.node},
                   {"satisfies", point.fits},
                   {"score", point.score},
                   {"suppressed", point.suppressed},
                   {"average_risk", point.average_risk},
                   {"highest_risk", point.highest_risk}});
  }
  return out;
}

}  // namespace

std::string table_report_text(const Report& report) {
  std::string out = population_text(report.table);
  if (report.table.special) out += "\n" + uniques_text(*report.table.special, report);
  if (!report.sensitive.empty()) out += "\n" + disclosure_text(report);
  return out;
}

std::string classification_text(const anonymize::Classification& found, const std::string& target) {
  return wrapped(fmt::format("{} is predicted right in {} of the rows from the published "
                             "quasi-identifiers; {} before, {} by its most frequent value alone.",
                             printable(target), percent(found.after), percent(found.before),
                             percent(found.baseline)),
                 0);
}

json report_json(const Report& report) {
  json out = {{"table", table_json(report.table, report)}, {"columns", columns_json(report)}};
  if (!report.published) return out;
  out["published"] = table_json(report.published->table, report);
  out["lattice"] = lattice_json(report.published->lattice);
  if (const auto& found = report.published->classification) {
    out["classification"] = {
        {"baseline", found->baseline}, {"before", found->before}, {"published", found->after}};
  }
  return out;
}

}  // namespace tacit::cli

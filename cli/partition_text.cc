#include "cli/partition_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/ledger_text.h"
#include "cli/risk_text.h"
#include "cli/table.h"

namespace tacit::cli {

std::string partition_text(const anonymize::Microdata& data, const anonymize::Policy& policy,
                           const anonymize::Partition& partition) {
  Table table({{"quasi-identifier", Table::Align::kLeft},
               {"values", Table::Align::kRight},
               {"before", Table::Align::kRight},
               {"lost", Table::Align::kRight}});
  for (std::size_t i = 0; i < partition.columns(); ++i) {
    table.add({abbreviated(printable(data.quasi_identifiers[i].name), 40),
               grouped_digits(partition.labels[i].size()), grouped_digits(data.values_at(i, 0)),
               fmt::format("{:.2f}%", 100 * partition.penalty(i))});
  }
  return fmt::format(
      "{}\n{}", table.to_string(),
      wrapped(fmt::format("By {}: a cell stands for {:.2f}% of its column on average (normalized "
                          "certainty penalty).",
                          anonymize::name(policy.method), 100 * partition.penalty()),
              0));
}

nlohmann::json partition_json(const anonymize::Microdata& data,
                              const anonymize::Partition& partition) {
  nlohmann::json out = nlohmann::json::array();
  for (std::size_t i = 0; i < partition.columns(); ++i) {
    out.push_back({{"column", data.quasi_identifiers[i].name},
                   {"values", partition.labels[i].size()},
                   {"values_before", data.values_at(i, 0)},
                   {"penalty", partition.penalty(i)}});
  }
  return out;
}

}  // namespace tacit::cli

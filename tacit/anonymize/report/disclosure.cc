#include "tacit/anonymize/report/disclosure.h"

#include <algorithm>

namespace tacit::anonymize {
namespace {

double part(std::uint64_t some, std::uint64_t all) {
  return all == 0 ? 0 : static_cast<double>(some) / static_cast<double>(all);
}

Disclosure of_column(const Records& records, const Histograms& column) {
  Disclosure out{.rows = records.rows};
  std::uint64_t guessed = 0;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const Histogram histogram = column.at(i);
    if (histogram.counts.empty()) continue;
    const std::uint64_t most = *std::ranges::max_element(histogram.counts);
    guessed += most;
    out.highest = std::max(out.highest, part(most, records.counts[i]));
    if (histogram.counts.size() == 1) out.certain += records.counts[i];
  }
  out.average = part(guessed, records.rows);
  const std::vector<std::uint64_t> totals = column.totals();
  if (!totals.empty()) out.baseline = part(*std::ranges::max_element(totals), records.rows);
  return out;
}

}  // namespace

std::vector<Disclosure> disclosures(const Records& records) {
  std::vector<Disclosure> out;
  for (const Histograms& column : records.sensitive) out.push_back(of_column(records, column));
  return out;
}

}  // namespace tacit::anonymize

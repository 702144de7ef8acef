#include "tacit/anonymize/methods/partition.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "tacit/anonymize/methods/tally_internal.h"

namespace tacit::anonymize {

double Partition::penalty() const {
  return std::accumulate(penalties.begin(), penalties.end(), 0.0) / static_cast<double>(columns());
}

bool Partition::splits_records() const {
  return std::ranges::adjacent_find(shares, {}, &Share::record) != shares.end();
}

Classes Partition::classes(const Records& records) const {
  Classes out{.layout = Layout(Codes(records, {}), {}), .keys = {}, .counts = rows};
  if (splits_records()) return out;
  std::vector<std::vector<RecordRows>> members(size());
  for (const Share& share : shares) members[share.in].push_back({share.record, share.rows});
  Tally tally(records);
  out.sensitive.resize(records.sensitive.size());
  if (!records.population.empty()) out.population.resize(size());
  for (std::size_t i = 0; i < size(); ++i) {
    const ClassView view = tally.view(members[i]);
    if (!records.population.empty()) out.population[i] = view.population;
    for (std::size_t s = 0; s < out.sensitive.size(); ++s) {
      const Histogram& histogram = view.histograms[s];
      Histograms& to = out.sensitive[s];
      to.values.insert(to.values.end(), histogram.values.begin(), histogram.values.end());
      to.counts.insert(to.counts.end(), histogram.counts.begin(), histogram.counts.end());
      to.ends.push_back(to.values.size());
    }
  }
  return out;
}

std::uint32_t PartitionBuilder::label(std::size_t column, const std::string& text) {
  std::vector<std::string>& labels = out_.labels[column];
  const auto [found, is_new] =
      places_[column].emplace(text, static_cast<std::uint32_t>(labels.size()));
  if (is_new) labels.push_back(text);
  return found->second;
}

void PartitionBuilder::add(std::span<const RecordRows> rows,
                           const std::vector<std::uint32_t>& cells,
                           std::span<const double> widths) {
  const auto [found, is_new] =
      classes_.emplace(cells, static_cast<std::uint32_t>(out_.rows.size()));
  if (is_new) {
    out_.rows.push_back(0);
    out_.cells.insert(out_.cells.end(), cells.begin(), cells.end());
  }
  std::uint64_t sum = 0;
  for (const RecordRows& each : rows) {
    out_.shares.push_back({.record = each.record, .in = found->second, .rows = each.rows});
    sum += each.rows;
  }
  out_.rows[found->second] += sum;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    out_.penalties[i] += static_cast<double>(sum) * widths[i];
  }
}

Partition PartitionBuilder::build() && {
  std::ranges::sort(out_.shares, {}, [](const Partition::Share& share) {
    return std::tuple(share.record, share.in);
  });
  // Parts of a record that came together again.
  std::vector<Partition::Share> joined;
  for (const Partition::Share& share : out_.shares) {
    if (!joined.empty() && joined.back().record == share.record && joined.back().in == share.in) {
      joined.back().rows += share.rows;
    } else {
      joined.push_back(share);
    }
  }
  out_.shares = std::move(joined);
  const std::uint64_t rows = std::accumulate(out_.rows.begin(), out_.rows.end(), std::uint64_t{0});
  for (double& penalty : out_.penalties)
    penalty /= static_cast<double>(std::max(rows, std::uint64_t{1}));
  return std::move(out_);
}

}  // namespace tacit::anonymize

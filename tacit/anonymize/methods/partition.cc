#include "tacit/anonymize/methods/partition.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "tacit/anonymize/methods/tally_internal.h"

namespace tacit::anonymize {

double Partition::penalty(std::size_t column) const {
  double sum = 0;
  std::uint64_t all = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    sum += static_cast<double>(rows[i]) * widths[(i * columns()) + column];
    all += rows[i];
  }
  return sum / static_cast<double>(std::max(all, std::uint64_t{1}));
}

double Partition::penalty() const {
  double sum = 0;
  for (std::size_t column = 0; column < columns(); ++column) sum += penalty(column);
  return sum / static_cast<double>(columns());
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

Partition Partition::without(const std::set<std::uint32_t>& leaving) const {
  Partition out{.labels = labels, .shows_values = shows_values};
  std::vector<std::uint32_t> numbers(size());
  for (std::uint32_t i = 0; i < size(); ++i) {
    if (leaving.contains(i)) continue;
    numbers[i] = static_cast<std::uint32_t>(out.size());
    out.rows.push_back(rows[i]);
    for (std::size_t column = 0; column < columns(); ++column) {
      out.cells.push_back(cells[(i * columns()) + column]);
      out.widths.push_back(widths[(i * columns()) + column]);
    }
  }
  for (const Share& share : shares) {
    if (leaving.contains(share.in)) continue;
    out.shares.push_back({.record = share.record, .in = numbers[share.in], .rows = share.rows});
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
    out_.widths.resize(out_.cells.size());
  }
  std::uint64_t sum = 0;
  for (const RecordRows& each : rows) {
    out_.shares.push_back({.record = each.record, .in = found->second, .rows = each.rows});
    sum += each.rows;
  }
  out_.rows[found->second] += sum;
  // Classes that are one: what their rows have on average.
  const double part = static_cast<double>(sum) /
                      static_cast<double>(std::max(out_.rows[found->second], std::uint64_t{1}));
  double* const own = out_.widths.data() + (found->second * out_.columns());
  for (std::size_t i = 0; i < widths.size(); ++i) own[i] += part * (widths[i] - own[i]);
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
  return std::move(out_);
}

}  // namespace tacit::anonymize

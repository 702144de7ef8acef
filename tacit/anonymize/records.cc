#include "tacit/anonymize/records.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace tacit::anonymize {
namespace {

constexpr std::uint32_t kFree = UINT32_MAX;

std::uint64_t hash_of(std::span<const std::uint32_t> leaves) {
  constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15;  // 2^64 over the golden ratio
  std::uint64_t out = 0;
  for (const std::uint32_t leaf : leaves) out = (std::rotl(out, 29) ^ leaf) * kGolden;
  return out;
}

}  // namespace

std::vector<std::uint64_t> Histograms::totals() const {
  std::vector<std::uint64_t> out;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] >= out.size()) out.resize(values[i] + std::size_t{1});
    out[values[i]] += counts[i];
  }
  return out;
}

RecordsBuilder::RecordsBuilder(std::size_t columns, std::size_t sensitive)
    : cells_(sensitive), slots_(16, kFree) {
  records_.columns = columns;
}

void RecordsBuilder::add(std::span<const std::uint32_t> leaves,
                         std::span<const std::uint32_t> values, std::uint64_t rows) {
  const std::uint32_t record = find(leaves);
  records_.counts[record] += rows;
  records_.rows += rows;
  for (std::size_t s = 0; s < cells_.size(); ++s) cells_[s].push_back({record, values[s], rows});
}

void RecordsBuilder::add_population(std::span<const std::uint32_t> leaves, std::uint64_t rows) {
  const std::uint32_t record = find(leaves);
  records_.population.resize(records_.size());
  records_.population[record] += rows;
}

Records RecordsBuilder::build() && {
  if (!records_.population.empty()) records_.population.resize(records_.size());
  for (std::vector<Cell>& cells : cells_) {
    std::ranges::sort(cells, {},
                      [](const Cell& cell) { return std::pair(cell.record, cell.value); });
    Histograms& out = records_.sensitive.emplace_back();
    std::size_t next = 0;
    for (std::uint32_t record = 0; record < records_.size(); ++record) {
      const std::size_t begin = out.values.size();
      for (; next < cells.size() && cells[next].record == record; ++next) {
        if (out.values.size() == begin || out.values.back() != cells[next].value) {
          out.values.push_back(cells[next].value);
          out.counts.push_back(0);
        }
        out.counts.back() += cells[next].rows;
      }
      out.ends.push_back(out.values.size());
    }
  }
  return std::move(records_);
}

std::uint32_t RecordsBuilder::find(std::span<const std::uint32_t> leaves) {
  if (2 * (records_.size() + 1) > slots_.size()) grow();
  std::size_t slot = hash_of(leaves) & (slots_.size() - 1);
  while (slots_[slot] != kFree &&
         !std::ranges::equal(leaves, std::span(records_.record(slots_[slot]), records_.columns))) {
    slot = (slot + 1) & (slots_.size() - 1);
  }
  if (slots_[slot] == kFree) {
    slots_[slot] = static_cast<std::uint32_t>(records_.size());
    records_.leaves.insert(records_.leaves.end(), leaves.begin(), leaves.end());
    records_.counts.push_back(0);
  }
  return slots_[slot];
}

void RecordsBuilder::grow() {
  slots_.assign(2 * slots_.size(), kFree);
  for (std::uint32_t i = 0; i < records_.size(); ++i) {
    std::size_t slot =
        hash_of(std::span(records_.record(i), records_.columns)) & (slots_.size() - 1);
    while (slots_[slot] != kFree) slot = (slot + 1) & (slots_.size() - 1);
    slots_[slot] = i;
  }
}

}  // namespace tacit::anonymize

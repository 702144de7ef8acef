#include "tacit/anonymize/report/published_view.h"

#include <algorithm>
#include <utility>

#include "tacit/anonymize/classes.h"

namespace tacit::anonymize {
namespace {

// How often a value of a sensitive column is in a class.
struct Cell {
  std::uint32_t in = 0;
  std::uint32_t value = 0;
  std::uint64_t rows = 0;
};

Histograms joined(const Histograms& records, const PublishedView& view) {
  std::vector<Cell> cells;
  for (const Partition::Share& share : view.shares) {
    const Histogram from = records.at(share.record);
    for (std::size_t i = 0; i < from.values.size(); ++i) {
      cells.push_back({.in = share.in, .value = from.values[i], .rows = from.counts[i]});
    }
  }
  std::ranges::sort(cells, {}, [](const Cell& cell) { return std::pair(cell.in, cell.value); });
  Histograms out;
  std::size_t next = 0;
  for (std::uint32_t in = 0; in < view.rows.size(); ++in) {
    const std::size_t begin = out.values.size();
    for (; next < cells.size() && cells[next].in == in; ++next) {
      if (out.values.size() == begin || out.values.back() != cells[next].value) {
        out.values.push_back(cells[next].value);
        out.counts.push_back(0);
      }
      out.counts.back() += cells[next].rows;
    }
    out.ends.push_back(out.values.size());
  }
  return out;
}

}  // namespace

std::span<const Partition::Share> PublishedView::shares_of(std::uint32_t record) const {
  const auto found = std::ranges::equal_range(shares, record, {}, &Partition::Share::record);
  return {found.begin(), found.end()};
}

bool PublishedView::splits(const Records& from) const {
  return std::ranges::any_of(shares, [&](const Partition::Share& share) {
    return share.rows != from.counts[share.record];
  });
}

Records PublishedView::records(const Records& from) const {
  Records out{.columns = columns, .leaves = cells, .counts = rows};
  for (const std::uint64_t count : rows) out.rows += count;
  if (splits(from)) return out;
  for (const Histograms& column : from.sensitive) out.sensitive.push_back(joined(column, *this));
  return out;
}

PublishedView unchanged_view(const Records& records) {
  PublishedView out{.columns = records.columns, .cells = records.leaves, .rows = records.counts};
  for (std::uint32_t i = 0; i < records.size(); ++i) {
    out.shares.push_back({.record = i, .in = i, .rows = records.counts[i]});
  }
  return out;
}

PublishedView recoded_view(const Records& records, std::span<const Hierarchy> hierarchies,
                           const Node& node, const std::vector<bool>& is_kept) {
  Grouper grouper(records, hierarchies);
  const Classes classes = grouper.coarsen(grouper.finest(), node);
  constexpr std::uint32_t kNone = UINT32_MAX;
  std::vector<std::uint32_t> numbers(classes.size(), kNone);  // of classes that stay
  PublishedView out{.columns = records.columns};
  for (std::uint32_t i = 0; i < records.size(); ++i) {
    if (!is_kept[i] || records.counts[i] == 0) continue;
    const std::uint32_t from = grouper.class_of()[i];
    if (numbers[from] == kNone) {
      numbers[from] = static_cast<std::uint32_t>(out.rows.size());
      out.rows.push_back(0);
      for (std::size_t c = 0; c < out.columns; ++c) out.cells.push_back(classes.code(from, c));
    }
    out.rows[numbers[from]] += records.counts[i];
    out.shares.push_back({.record = i, .in = numbers[from], .rows = records.counts[i]});
  }
  return out;
}

PublishedView partition_view(const Partition& partition) {
  return {.columns = partition.columns(),
          .cells = partition.cells,
          .rows = partition.rows,
          .shares = partition.shares};
}

}  // namespace tacit::anonymize

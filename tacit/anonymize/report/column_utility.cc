#include "tacit/anonymize/report/column_utility.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "tacit/anonymize/leaf_rows_internal.h"
#include "tacit/base/rational.h"

namespace tacit::anonymize {
namespace {

double sum(const std::vector<std::uint64_t>& rows) {
  return static_cast<double>(std::accumulate(rows.begin(), rows.end(), std::uint64_t{0}));
}

std::size_t values_of(const Hierarchy& hierarchy, std::size_t level,
                      const std::vector<std::uint64_t>& rows) {
  std::set<std::uint32_t> seen;
  for (std::uint32_t leaf = 0; leaf < rows.size(); ++leaf) {
    if (rows[leaf] > 0) seen.insert(hierarchy.at(level, leaf));
  }
  return seen.size();
}

// Of the leaves other than a cell's own, the part that the cell is still told from.
double granularity(const Hierarchy& hierarchy, std::size_t level, const LeafRows& rows) {
  if (hierarchy.leaves() < 2) return 1;
  double told = 0;
  for (std::uint32_t leaf = 0; leaf < rows.kept.size(); ++leaf) {
    told += static_cast<double>(rows.kept[leaf]) * (1 - hierarchy.share(level, leaf));
  }
  const double most = 1 - (1 / static_cast<double>(hierarchy.leaves()));
  return told / (sum(rows.before) * most);
}

double precision(const Hierarchy& hierarchy, std::size_t level, const LeafRows& rows) {
  const double height = hierarchy.levels() == 1 ? 0
                                                : static_cast<double>(level) /
                                                      static_cast<double>(hierarchy.levels() - 1);
  return sum(rows.kept) / sum(rows.before) * (1 - height);
}

// The bits of all cells.
double entropy_of(const std::vector<std::uint64_t>& rows) {
  const double all = sum(rows);
  double out = 0;
  for (const std::uint64_t count : rows) {
    if (count > 0) out += static_cast<double>(count) * std::log2(all / static_cast<double>(count));
  }
  return out;
}

double entropy(const Hierarchy& hierarchy, std::size_t level, const LeafRows& rows) {
  const std::vector<std::uint64_t> above = rows_at_level(rows.before, hierarchy, level);
  const double all = sum(rows.before);
  const double had = entropy_of(rows.before);
  double kept = 0;
  for (std::uint32_t leaf = 0; leaf < rows.before.size(); ++leaf) {
    if (rows.kept[leaf] == 0) continue;
    const auto alike = static_cast<double>(above[hierarchy.at(level, leaf)]);
    kept += static_cast<double>(rows.kept[leaf]) * std::log2(all / alike);
  }
  return had == 0 ? 1 : std::min(1.0, kept / had);  // sums are rounded
}

// The rows that show each value, and how many leaves are among them.
struct ShownValue {
  std::uint64_t rows = 0;
  std::uint64_t leaves = 0;
};
std::vector<ShownValue> shown_values(const std::vector<ShownRows>& shown) {
  std::vector<ShownValue> out;
  for (const ShownRows& each : shown) {
    if (each.value >= out.size()) out.resize(each.value + std::size_t{1});
    out[each.value].rows += each.rows;
    ++out[each.value].leaves;
  }
  return out;
}

bool is_date(const std::string& text) {
  constexpr std::string_view kForm = "dddd-dd-dd";
  return text.size() >= kForm.size() &&
         std::ranges::equal(
             kForm, std::string_view(text).substr(0, kForm.size()),
             [](char form, char c) { return form == 'd' ? c >= '0' && c <= '9' : c == form; });
}

// Leaves in an order, where all are numbers or all are dates. A missing value comes first.
std::optional<std::vector<std::uint32_t>> in_order(const Hierarchy& hierarchy,
                                                   std::vector<std::uint32_t> leaves) {
  const auto text = [&](std::uint32_t leaf) -> const std::string& {
    return hierarchy.label(0, leaf);
  };
  const auto is_dated = [&](std::uint32_t leaf) {
    return text(leaf).empty() || is_date(text(leaf));
  };
  if (std::ranges::all_of(leaves, is_dated)) {
    std::ranges::sort(leaves, {}, text);
    return leaves;
  }
  std::vector<std::pair<std::optional<Rational>, std::uint32_t>> numbers;
  for (const std::uint32_t leaf : leaves) {
    auto number = Rational::parse(text(leaf));
    if (!number && !text(leaf).empty()) return {};
    numbers.emplace_back(number ? std::optional(*std::move(number)) : std::nullopt, leaf);
  }
  std::ranges::sort(numbers);
  for (std::size_t i = 0; i < leaves.size(); ++i) leaves[i] = numbers[i].second;
  return leaves;
}

Distribution of_leaves(const Hierarchy& hierarchy, const std::vector<std::uint64_t>& before,
                       const std::vector<double>& after) {
  std::vector<std::uint32_t> leaves;
  for (std::uint32_t leaf = 0; leaf < before.size(); ++leaf) {
    if (before[leaf] > 0) leaves.push_back(leaf);
  }
  Distribution out;
  if (auto ordered = in_order(hierarchy, leaves)) {
    out.is_ordered = true;
    leaves = *std::move(ordered);
  } else {
    std::ranges::sort(leaves, {}, [&](std::uint32_t leaf) {
      return std::pair(-static_cast<double>(before[leaf]), hierarchy.label(0, leaf));
    });
  }
  for (const std::uint32_t leaf : leaves) {
    out.bars.push_back({.label = hierarchy.label(0, leaf),
                        .before = static_cast<double>(before[leaf]),
                        .after = after[leaf]});
  }
  return out;
}

}  // namespace

std::vector<ShownRows> shown_rows(const Records& records, const PublishedView& view,
                                  std::size_t column) {
  std::vector<ShownRows> out;
  for (const Partition::Share& share : view.shares) {
    out.push_back({.leaf = records.record(share.record)[column],
                   .value = view.cells_of(share.in)[column],
                   .rows = share.rows});
  }
  const auto place = [](const ShownRows& each) { return std::pair(each.value, each.leaf); };
  std::ranges::sort(out, {}, place);
  std::size_t last = 0;
  for (std::size_t i = 1; i < out.size(); ++i) {
    if (place(out[i]) == place(out[last])) {
      out[last].rows += out[i].rows;
    } else {
      out[++last] = out[i];
    }
  }
  if (!out.empty()) out.resize(last + 1);
  return out;
}

LeafRows leaf_rows(const Records& records, const std::vector<bool>& is_kept, std::size_t column,
                   const Hierarchy& hierarchy) {
  LeafRows out{.before = std::vector<std::uint64_t>(hierarchy.leaves()),
               .kept = std::vector<std::uint64_t>(hierarchy.leaves())};
  for (std::size_t i = 0; i < records.size(); ++i) {
    const std::uint32_t leaf = records.record(i)[column];
    out.before[leaf] += records.counts[i];
    if (is_kept[i]) out.kept[leaf] += records.counts[i];
  }
  return out;
}

LeafRows leaf_rows(const Records& records, const PublishedView& view, std::size_t column,
                   const Hierarchy& hierarchy) {
  LeafRows out{.before = rows_at_leaves(records, column, hierarchy.leaves()),
               .kept = std::vector<std::uint64_t>(hierarchy.leaves())};
  for (const Partition::Share& share : view.shares) {
    out.kept[records.record(share.record)[column]] += share.rows;
  }
  return out;
}

ColumnUtility column_utility(const Hierarchy& hierarchy, std::size_t level, const LeafRows& rows) {
  ColumnUtility out{.level = level,
                    .levels = hierarchy.levels(),
                    .values_before = values_of(hierarchy, 0, rows.before),
                    .values_after = values_of(hierarchy, level, rows.kept)};
  if (sum(rows.before) == 0) return out;
  out.granularity = granularity(hierarchy, level, rows);
  out.precision = precision(hierarchy, level, rows);
  out.entropy = entropy(hierarchy, level, rows);
  return out;
}

ColumnUtility column_utility(const Hierarchy& hierarchy, const LeafRows& rows,
                             const std::vector<ShownRows>& shown) {
  const std::vector<ShownValue> values = shown_values(shown);
  ColumnUtility out{.levels = hierarchy.levels(),
                    .values_before = values_of(hierarchy, 0, rows.before),
                    .values_after = static_cast<std::size_t>(std::ranges::count_if(
                        values, [](const ShownValue& value) { return value.rows > 0; }))};
  const double all = sum(rows.before);
  double told = 0;
  double bits = 0;
  for (const ShownRows& each : shown) {
    const auto count = static_cast<double>(each.rows);
    const ShownValue& value = values[each.value];
    told += count * static_cast<double>(out.values_before - value.leaves);
    bits += count * (std::log2(all / static_cast<double>(rows.before[each.leaf])) -
                     std::log2(static_cast<double>(value.rows) / count));
  }
  const double had = entropy_of(rows.before);
  if (out.values_before > 1) {
    out.granularity = told / (all * static_cast<double>(out.values_before - 1));
  }
  // Where suppressed rows are of few values, the others can look as if they had lost all and more.
  if (had > 0) out.entropy = std::clamp(bits / had, 0.0, 1.0);
  return out;
}

Distribution distribution(const Hierarchy& hierarchy, std::size_t level, const LeafRows& rows) {
  const std::vector<std::uint64_t> published = rows_at_level(rows.kept, hierarchy, level);
  std::vector<double> values(hierarchy.size(level));  // that the table has, under each
  for (std::uint32_t leaf = 0; leaf < rows.before.size(); ++leaf) {
    if (rows.before[leaf] > 0) ++values[hierarchy.at(level, leaf)];
  }
  std::vector<double> after(rows.before.size());
  for (std::uint32_t leaf = 0; leaf < after.size(); ++leaf) {
    const std::uint32_t code = hierarchy.at(level, leaf);
    if (rows.before[leaf] > 0) after[leaf] = static_cast<double>(published[code]) / values[code];
  }
  return of_leaves(hierarchy, rows.before, after);
}

Distribution distribution(const Hierarchy& hierarchy, const LeafRows& rows,
                          const std::vector<ShownRows>& shown) {
  const std::vector<ShownValue> values = shown_values(shown);
  std::vector<double> after(rows.before.size());
  for (const ShownRows& each : shown) {
    const ShownValue& value = values[each.value];
    after[each.leaf] += static_cast<double>(value.rows) / static_cast<double>(value.leaves);
  }
  return of_leaves(hierarchy, rows.before, after);
}

}  // namespace tacit::anonymize

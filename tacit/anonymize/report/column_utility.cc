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

double entropy(const Hierarchy& hierarchy, std::size_t level, const LeafRows& rows) {
  const std::vector<std::uint64_t> above = rows_at_level(rows.before, hierarchy, level);
  const double all = sum(rows.before);
  double had = 0;
  double kept = 0;
  for (std::uint32_t leaf = 0; leaf < rows.before.size(); ++leaf) {
    if (rows.before[leaf] == 0) continue;
    const auto count = static_cast<double>(rows.before[leaf]);
    const auto alike = static_cast<double>(above[hierarchy.at(level, leaf)]);
    had += count * std::log2(all / count);
    kept += static_cast<double>(rows.kept[leaf]) * std::log2(all / alike);
  }
  return had == 0 ? 1 : kept / had;
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

}  // namespace

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

Distribution distribution(const Hierarchy& hierarchy, std::size_t level, const LeafRows& rows) {
  std::vector<std::uint64_t> values_under(hierarchy.size(level));
  std::vector<std::uint32_t> leaves;
  for (std::uint32_t leaf = 0; leaf < rows.before.size(); ++leaf) {
    if (rows.before[leaf] == 0) continue;
    leaves.push_back(leaf);
    ++values_under[hierarchy.at(level, leaf)];
  }
  Distribution out;
  if (auto ordered = in_order(hierarchy, leaves)) {
    out.is_ordered = true;
    leaves = *std::move(ordered);
  } else {
    std::ranges::sort(leaves, {}, [&](std::uint32_t leaf) {
      return std::pair(-static_cast<double>(rows.before[leaf]), hierarchy.label(0, leaf));
    });
  }
  const std::vector<std::uint64_t> published = rows_at_level(rows.kept, hierarchy, level);
  for (const std::uint32_t leaf : leaves) {
    const std::uint32_t code = hierarchy.at(level, leaf);
    out.bars.push_back(
        {.label = hierarchy.label(0, leaf),
         .before = static_cast<double>(rows.before[leaf]),
         .after = static_cast<double>(published[code]) / static_cast<double>(values_under[code])});
  }
  return out;
}

}  // namespace tacit::anonymize

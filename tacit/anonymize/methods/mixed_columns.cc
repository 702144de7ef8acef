#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "tacit/anonymize/methods/mixed_columns_internal.h"
#include "tacit/base/rational.h"

namespace tacit::anonymize {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kMostDecimals = 9;

int decimals_of(const std::string& text) {
  const std::size_t point = text.find('.');
  if (point == std::string::npos) return 0;
  return static_cast<int>(std::min(text.size() - point - 1, kMostDecimals));
}

}  // namespace

MixedColumns::MixedColumns(const Records& records, std::span<const Hierarchy> hierarchies)
    : records_(records), hierarchies_(hierarchies) {
  for (std::size_t c = 0; c < hierarchies.size(); ++c) {
    columns_.push_back(column_of(c));
    measure(columns_.back(), c);
  }
  points_.reserve(records.size() * columns_.size());
  for (std::uint32_t i = 0; i < records.size(); ++i) {
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const std::uint32_t at = records.record(i)[c];
      const Column& column = columns_[c];
      points_.push_back(column.has_numbers ? (column.numbers[at] - column.mean) / column.deviation
                                           : static_cast<double>(at));
    }
  }
}

// Texts where any that rows have is no number.
MixedColumns::Column MixedColumns::column_of(std::size_t column) const {
  const Hierarchy& hierarchy = hierarchies_[column];
  Column out{.numbers = std::vector<double>(hierarchy.leaves(), kMissing)};
  std::set<std::uint32_t> present;
  for (std::size_t i = 0; i < records_.size(); ++i) present.insert(records_.record(i)[column]);
  out.values = present.size();
  for (const std::uint32_t leaf : present) {
    const std::string& text = hierarchy.label(0, leaf);
    if (text.empty()) continue;
    const auto number = Rational::parse(text);
    if (!number) {
      out.has_numbers = false;
      break;
    }
    out.numbers[leaf] = number->approximate();
    out.decimals = std::max(out.decimals, decimals_of(text));
  }
  return out;
}

void MixedColumns::measure(Column& column, std::size_t index) const {
  if (!column.has_numbers) return;
  double rows = 0;
  double sum = 0;
  double squares = 0;
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (std::size_t i = 0; i < records_.size(); ++i) {
    const double number = column.numbers[records_.record(i)[index]];
    if (std::isnan(number)) continue;
    const auto count = static_cast<double>(records_.counts[i]);
    rows += count;
    sum += count * number;
    squares += count * number * number;
    low = std::min(low, number);
    high = std::max(high, number);
  }
  if (rows == 0) return;
  column.mean = sum / rows;
  const double variance = (squares / rows) - (column.mean * column.mean);
  if (variance > 0) column.deviation = std::sqrt(variance);
  column.range = high - low;
}

// Of leaves that are as frequent, the first.
std::uint32_t MixedColumns::most_frequent(std::span<const RecordRows> rows,
                                          std::size_t column) const {
  std::vector<std::uint64_t> counts(hierarchies_[column].leaves());
  for (const RecordRows& each : rows) counts[leaf(each, column)] += each.rows;
  return static_cast<std::uint32_t>(std::ranges::max_element(counts) - counts.begin());
}

// Numbers keep the decimals of the column; where most are missing, so is the center.
std::string MixedColumns::center(std::span<const RecordRows> rows, std::size_t column,
                                 Center by) const {
  const Column& own = columns_[column];
  const Hierarchy& hierarchy = hierarchies_[column];
  if (!own.has_numbers) return hierarchy.label(0, most_frequent(rows, column));
  std::map<double, std::pair<std::uint64_t, std::uint32_t>> numbers;  // rows, a leaf
  double sum = 0;
  std::uint64_t there = 0;
  std::uint64_t missing = 0;
  for (const RecordRows& each : rows) {
    const double number = own.numbers[leaf(each, column)];
    if (std::isnan(number)) {
      missing += each.rows;
      continue;
    }
    auto& [count, one] = numbers[number];
    count += each.rows;
    one = leaf(each, column);
    there += each.rows;
    sum += static_cast<double>(each.rows) * number;
  }
  if (missing > there) return {};
  if (by == Center::kMean) {
    const double scale = std::pow(10, own.decimals);
    // Adding nothing makes a zero of a negative one.
    const double rounded = (std::round(sum / static_cast<double>(there) * scale) / scale) + 0.0;
    return fmt::format("{:.{}f}", rounded, own.decimals);
  }
  std::uint64_t passed = 0;
  for (const auto& [number, found] : numbers) {
    passed += found.first;
    if (2 * passed >= there) return hierarchy.label(0, found.second);
  }
  return {};
}

double MixedColumns::width(std::span<const RecordRows> rows, std::size_t column) const {
  const Column& own = columns_[column];
  std::set<std::uint32_t> leaves;
  for (const RecordRows& each : rows) leaves.insert(leaf(each, column));
  if (leaves.size() == 1) return 0;
  if (!own.has_numbers) return static_cast<double>(leaves.size()) / static_cast<double>(own.values);
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const std::uint32_t leaf : leaves) {
    if (std::isnan(own.numbers[leaf])) return 1;
    low = std::min(low, own.numbers[leaf]);
    high = std::max(high, own.numbers[leaf]);
  }
  return own.range > 0 ? (high - low) / own.range : 0;
}

}  // namespace tacit::anonymize

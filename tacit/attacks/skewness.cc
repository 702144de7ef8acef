#include "tacit/attacks/skewness.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace tacit::attacks {
namespace {

// How much more often a value stands in a class than in the table.
struct Rise {
  std::size_t index = 0;  // of the class
  std::uint32_t value = 0;
  double table = 0;
  double of_class = 0;
  [[nodiscard]] double gain() const { return of_class - table; }
};

Rise largest_rise(const anonymize::Histogram& histogram, std::uint64_t rows,
                  const std::vector<double>& shares) {
  Rise out{.of_class = -1};
  for (std::size_t i = 0; i < histogram.values.size(); ++i) {
    const std::uint32_t value = histogram.values[i];
    const double share = static_cast<double>(histogram.counts[i]) / static_cast<double>(rows);
    const Rise rise{.value = value, .table = shares[value], .of_class = share};
    if (rise.gain() > out.gain()) out = rise;
  }
  return out;
}

std::string words(const Rise& rise, const ReleasedTable::Column& column) {
  return fmt::format("{} {}: {:.3g}% to {:.3g}%", column.name, column.values[rise.value].text,
                     100 * rise.table, 100 * rise.of_class);
}

}  // namespace

Report skewness(const ReleasedTable& release, std::size_t sensitive) {
  const anonymize::Records& classes = release.classes;
  const ReleasedTable::Column& column = release.sensitive[sensitive];
  std::vector<double> shares;
  for (const std::uint64_t rows : release.totals(sensitive)) {
    shares.push_back(static_cast<double>(rows) / static_cast<double>(classes.rows));
  }
  Report out{.attack = "skewness",
             .adversary = "a person's quasi-identifiers, and that the person is in the table",
             .targets = classes.rows,
             .baseline = std::ranges::max(shares)};
  std::vector<Rise> rises;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const anonymize::Histogram histogram = classes.sensitive[sensitive].at(i);
    out.successes += std::ranges::max(histogram.counts);
    rises.push_back(largest_rise(histogram, classes.counts[i], shares));
    rises.back().index = i;
  }
  const auto shown = static_cast<std::ptrdiff_t>(std::min(rises.size(), kMostVictims));
  std::ranges::partial_sort(rises, rises.begin() + shown, [](const Rise& a, const Rise& b) {
    return a.gain() != b.gain() ? a.gain() > b.gain() : a.index < b.index;
  });
  rises.resize(static_cast<std::size_t>(shown));
  if (!rises.empty())
    out.finding = "the largest rise from the table to a class: " + words(rises.front(), column);
  for (const Rise& rise : rises) {
    if (rise.gain() <= 0) break;
    out.victims.push_back(
        {.who = fmt::format("{} ({} rows)", release.shown(rise.index), classes.counts[rise.index]),
         .learned = words(rise, column)});
  }
  return out;
}

}  // namespace tacit::attacks

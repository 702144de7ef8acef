#include "tacit/attacks/background_knowledge.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <numeric>

namespace tacit::attacks {
namespace {

double share_of_most_frequent(std::vector<std::uint64_t> totals, std::size_t values,
                              std::uint64_t rows) {
  std::ranges::sort(totals, std::greater<>());
  totals.resize(std::min(totals.size(), values));
  const auto most = std::accumulate(totals.begin(), totals.end(), std::uint64_t{0});
  return static_cast<double>(most) / static_cast<double>(rows);
}

std::string knowledge(std::size_t excluded) {
  std::string all = "a person's quasi-identifiers, and that the person is in the table";
  if (excluded == 0) return all;
  return fmt::format("{}; {} the person does not have", all,
                     excluded == 1 ? "one value" : fmt::format("{} values", excluded));
}

Victim victim_of(const ReleasedTable& release, std::size_t index, std::size_t sensitive) {
  const anonymize::Histogram histogram = release.classes.sensitive[sensitive].at(index);
  const ReleasedTable::Column& column = release.sensitive[sensitive];
  std::vector<std::string> values;
  for (const std::uint32_t value : histogram.values) values.push_back(column.values[value].text);
  std::ranges::sort(values);
  return {.who = fmt::format("{} ({} rows)", release.shown(index), release.classes.counts[index]),
          .learned = fmt::format("{} {}", column.name, fmt::join(values, " or "))};
}

}  // namespace

Report background_knowledge(const ReleasedTable& release, std::size_t sensitive,
                            std::size_t excluded) {
  Report out{.attack = "background",
             .adversary = knowledge(excluded),
             .targets = release.classes.rows,
             .baseline = share_of_most_frequent(release.totals(sensitive), excluded + 1,
                                                release.classes.rows),
             .is_certain = true};
  std::size_t open_classes = 0;
  for (std::size_t i = 0; i < release.classes.size(); ++i) {
    if (release.classes.sensitive[sensitive].at(i).values.size() > excluded + 1) continue;
    ++open_classes;
    out.successes += release.classes.counts[i];
    if (out.victims.size() < kMostVictims) out.victims.push_back(victim_of(release, i, sensitive));
  }
  out.finding = fmt::format(
      "{} of {} classes have {}", open_classes, release.classes.size(),
      excluded == 0 ? "one value only" : fmt::format("at most {} values", excluded + 1));
  return out;
}

}  // namespace tacit::attacks

#include "tacit/attacks/composition.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <string_view>
#include <unordered_map>

namespace tacit::attacks {
namespace {

using Values = std::vector<std::uint32_t>;

// How many of these people have the one value that is left.
std::uint64_t known_rows(const anonymize::Histogram& truth, const Values& left) {
  if (left.size() != 1) return 0;
  for (std::size_t i = 0; i < truth.values.size(); ++i) {
    if (truth.values[i] == left.front()) return truth.counts[i];
  }
  return 0;
}

}  // namespace

Composition::Composition(const ReleasedTable& people, std::size_t sensitive,
                         std::span<const anonymize::Hierarchy> hierarchies,
                         std::span<const ReleasedTable* const> releases) {
  const ReleasedTable::Column& known = people.sensitive[sensitive];
  std::unordered_map<std::string_view, std::uint32_t> numbers;
  for (const anonymize::Value& value : known.values) numbers.emplace(value.text, numbers.size());
  for (const ReleasedTable* const table : releases) {
    Release& release = releases_.emplace_back(
        Release{.table = table, .matching = MatchingClasses(*table, people, hierarchies)});
    const auto column =
        std::ranges::find(table->sensitive, known.name, &ReleasedTable::Column::name);
    if (column == table->sensitive.end()) continue;
    release.sensitive = static_cast<std::size_t>(column - table->sensitive.begin());
    for (const anonymize::Value& value : column->values) {
      release.value_of.push_back(numbers.emplace(value.text, numbers.size()).first->second);
    }
  }
  values_ = static_cast<std::uint32_t>(numbers.size());
}

bool Composition::Candidates::is_everywhere() const {
  return std::ranges::none_of(classes, [](const auto& own) { return own.empty(); });
}

Values Composition::values_of(const Release& release,
                              std::span<const std::uint32_t> classes) const {
  Values out;
  if (!release.sensitive) {
    out.resize(values_);
    std::iota(out.begin(), out.end(), 0U);
    return out;
  }
  for (const std::uint32_t each : classes) {
    for (const std::uint32_t value :
         release.table->classes.sensitive[*release.sensitive].at(each).values) {
      out.push_back(release.value_of[value]);
    }
  }
  std::ranges::sort(out);
  out.erase(std::ranges::unique(out).begin(), out.end());
  return out;
}

Composition::Candidates Composition::of(std::size_t person) const {
  Candidates out;
  for (const Release& release : releases_) {
    out.classes.push_back(release.matching.of(person));
    out.alone.push_back(values_of(release, out.classes.back()));
    const Values& own = out.alone.back();
    if (out.alone.size() == 1) {
      out.together = own;
      continue;
    }
    Values both;
    std::ranges::set_intersection(out.together, own, std::back_inserter(both));
    out.together = std::move(both);
  }
  return out;
}

std::uint64_t Composition::rows_of(std::size_t release,
                                   std::span<const std::uint32_t> classes) const {
  const std::vector<std::uint64_t>& counts = releases_[release].table->classes.counts;
  return std::accumulate(classes.begin(), classes.end(), std::uint64_t{0},
                         [&](std::uint64_t sum, std::uint32_t each) { return sum + counts[each]; });
}

std::uint64_t Composition::rows_with(std::size_t release, std::span<const std::uint32_t> classes,
                                     std::span<const std::uint32_t> values) const {
  const Release& from = releases_[release];
  if (!from.sensitive) return rows_of(release, classes);
  std::uint64_t out = 0;
  for (const std::uint32_t each : classes) {
    const anonymize::Histogram own = from.table->classes.sensitive[*from.sensitive].at(each);
    for (std::size_t i = 0; i < own.values.size(); ++i) {
      if (std::ranges::binary_search(values, from.value_of[own.values[i]])) out += own.counts[i];
    }
  }
  return out;
}

Report composition(const ReleasedTable& people, std::size_t sensitive,
                   std::span<const anonymize::Hierarchy> hierarchies,
                   std::span<const ReleasedTable> releases) {
  std::vector<const ReleasedTable*> tables;
  for (const ReleasedTable& release : releases) tables.push_back(&release);
  const Composition all(people, sensitive, hierarchies, tables);
  Report out{.attack = "composition",
             .adversary = fmt::format("a person's quasi-identifiers, and that the person is in "
                                      "each of {} releases",
                                      releases.size())};
  const ReleasedTable::Column& column = people.sensitive[sensitive];
  std::vector<std::uint64_t> alone(releases.size());
  std::uint64_t wrong = 0;
  for (std::size_t person = 0; person < people.classes.size(); ++person) {
    const Composition::Candidates candidates = all.of(person);
    if (!candidates.is_everywhere()) continue;
    const std::uint64_t rows = people.classes.counts[person];
    const anonymize::Histogram truth = people.classes.sensitive[sensitive].at(person);
    out.targets += rows;
    for (std::size_t i = 0; i < alone.size(); ++i) {
      alone[i] += known_rows(truth, candidates.alone[i]);
    }
    const std::uint64_t known = known_rows(truth, candidates.together);
    out.successes += known;
    if (candidates.together.size() == 1) wrong += rows - known;
    if (known > 0 && out.victims.size() < kMostVictims) {
      out.victims.push_back(
          {.who = people.shown(person),
           .learned =
               fmt::format("{} {}", column.name, column.values[candidates.together.front()].text)});
    }
  }
  const std::uint64_t most = alone.empty() ? 0 : std::ranges::max(alone);
  // What one release gives away by itself is no gain of the intersection.
  out.is_certain = out.successes > most;
  if (out.targets > 0) {
    out.baseline = static_cast<double>(most) / static_cast<double>(out.targets);
  }
  out.finding =
      fmt::format("{} are known for certain from one release, {} from all", most, out.successes);
  if (wrong > 0) out.finding += fmt::format("; of {} a wrong value is told", wrong);
  return out;
}

}  // namespace tacit::attacks

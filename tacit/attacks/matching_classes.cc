#include "tacit/attacks/matching_classes.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "tacit/attacks/generalized_value.h"

namespace tacit::attacks {

using anonymize::ColumnPolicy;
using anonymize::Hierarchy;
using anonymize::Value;

Result<std::vector<Hierarchy>> hierarchies_of(const ReleasedTable& people,
                                              const anonymize::Policy& policy) {
  std::vector<Hierarchy> out;
  for (const ReleasedTable::Column& column : people.quasi_identifiers) {
    const auto found = std::ranges::find(policy.columns, column.name, &ColumnPolicy::name);
    TACIT_ASSIGN_OR_RETURN(Hierarchy hierarchy,
                           build_hierarchy(found->hierarchy, column.values, column.name));
    out.push_back(std::move(hierarchy));
  }
  return out;
}

MatchingClasses::MatchingClasses(const ReleasedTable& release, const ReleasedTable& people,
                                 std::span<const Hierarchy> hierarchies)
    : release_(release), people_(people) {
  for (std::size_t i = 0; i < people.quasi_identifiers.size(); ++i) {
    const ReleasedTable::Column& known = people.quasi_identifiers[i];
    const auto shown =
        std::ranges::find(release.quasi_identifiers, known.name, &ReleasedTable::Column::name);
    if (shown == release.quasi_identifiers.end()) continue;
    Column& column = columns_.emplace_back();
    column.of_people = i;
    column.of_release = static_cast<std::size_t>(shown - release.quasi_identifiers.begin());
    column.labels = agreeing(*shown, known, hierarchies[i]);
    column.classes.resize(shown->values.size());
    for (std::uint32_t each = 0; each < release.classes.size(); ++each) {
      column.classes[release.classes.record(each)[column.of_release]].push_back(each);
    }
  }
}

// Labels of the hierarchy are found by climbing it, so that only free labels are compared with
// every value.
std::vector<MatchingClasses::Places> MatchingClasses::agreeing(const ReleasedTable::Column& shown,
                                                               const ReleasedTable::Column& known,
                                                               const Hierarchy& hierarchy) {
  std::unordered_map<std::string_view, std::uint32_t> places;
  for (std::uint32_t i = 0; i < shown.values.size(); ++i) places.emplace(shown.values[i].text, i);
  std::vector<bool> is_free(shown.values.size(), true);
  for (std::size_t level = 0; level < hierarchy.levels(); ++level) {
    for (std::uint32_t code = 0; code < hierarchy.size(level); ++code) {
      const auto found = places.find(hierarchy.label(level, code));
      if (found != places.end()) is_free[found->second] = false;
    }
  }
  std::vector<std::pair<std::uint32_t, GeneralizedValue>> free_labels;
  for (std::uint32_t i = 0; i < shown.values.size(); ++i) {
    if (is_free[i]) free_labels.emplace_back(i, GeneralizedValue(shown.values[i].text));
  }
  std::vector<Places> out;
  for (const Value& value : known.values) {
    Places& own = out.emplace_back();
    const std::uint32_t leaf = hierarchy.leaf(value.text);
    for (std::size_t level = 0; level < hierarchy.levels(); ++level) {
      const auto found = places.find(hierarchy.label(level, hierarchy.at(level, leaf)));
      if (found != places.end()) own.push_back(found->second);
    }
    const ExactValue exact(value.text);
    for (const auto& [place, label] : free_labels) {
      if (label.agrees(exact)) own.push_back(place);
    }
    std::ranges::sort(own);
    own.erase(std::ranges::unique(own).begin(), own.end());
  }
  return out;
}

// The column that leaves the fewest classes.
std::size_t MatchingClasses::fewest(std::size_t person) const {
  std::size_t best = 0;
  std::size_t least = SIZE_MAX;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const Column& column = columns_[i];
    const Places& labels = column.labels[people_.classes.record(person)[column.of_people]];
    const std::size_t classes = std::accumulate(
        labels.begin(), labels.end(), std::size_t{0},
        [&](std::size_t sum, std::uint32_t label) { return sum + column.classes[label].size(); });
    if (classes < least) best = i;
    least = std::min(least, classes);
  }
  return best;
}

std::vector<std::uint32_t> MatchingClasses::of(std::size_t person) const {
  Places out;
  if (columns_.empty()) {
    out.resize(release_.classes.size());
    std::iota(out.begin(), out.end(), 0U);
    return out;
  }
  const std::uint32_t* const known = people_.classes.record(person);
  const Column& first = columns_[fewest(person)];
  for (const std::uint32_t label : first.labels[known[first.of_people]]) {
    for (const std::uint32_t each : first.classes[label]) {
      const std::uint32_t* const shown = release_.classes.record(each);
      const bool agrees = std::ranges::all_of(columns_, [&](const Column& column) {
        return std::ranges::binary_search(column.labels[known[column.of_people]],
                                          shown[column.of_release]);
      });
      if (agrees) out.push_back(each);
    }
  }
  std::ranges::sort(out);
  return out;
}

}  // namespace tacit::attacks

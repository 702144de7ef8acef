#include "tacit/attacks/similarity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <variant>

#include "tacit/base/rational.h"

namespace tacit::attacks {
namespace {

constexpr const char* kKnows =
    "a person's quasi-identifiers, and that the person is in the table; {}";

// Goes through the classes; `learned` says what the values of one have in common, or nothing.
template <class Learned>
void try_classes(const ReleasedTable& release, std::size_t sensitive, const Learned& learned,
                 Report& out) {
  const anonymize::Records& classes = release.classes;
  out.targets = classes.rows;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const std::optional<std::string> said = learned(classes.sensitive[sensitive].at(i));
    if (!said) continue;
    out.successes += classes.counts[i];
    if (out.victims.size() == kMostVictims) continue;
    out.victims.push_back(
        {.who = fmt::format("{} ({} rows)", release.shown(i), classes.counts[i]),
         .learned = fmt::format("{} {}", release.sensitive[sensitive].name, *said)});
  }
}

double part(std::uint64_t rows, std::uint64_t all) {
  return static_cast<double>(rows) / static_cast<double>(all);
}

// Each value as a number, NaN where it is missing; nothing where one is something else.
std::optional<std::vector<double>> numbers_of(const ReleasedTable::Column& column) {
  std::vector<double> out;
  bool has_number = false;
  for (const anonymize::Value& value : column.values) {
    const auto number = Rational::parse(value.text);
    if (!number && !value.text.empty()) return std::nullopt;
    has_number = has_number || number;
    out.push_back(number ? number->approximate() : std::numeric_limits<double>::quiet_NaN());
  }
  if (!has_number) return std::nullopt;
  return out;
}

// The rows of the interval of that width that has the most.
std::uint64_t most_within(const std::vector<double>& numbers,
                          const std::vector<std::uint64_t>& rows, double width) {
  std::vector<std::pair<double, std::uint64_t>> sorted;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (!std::isnan(numbers[i])) sorted.emplace_back(numbers[i], rows[i]);
  }
  std::ranges::sort(sorted);
  std::uint64_t most = 0;
  std::uint64_t inside = 0;
  std::size_t first = 0;
  for (const auto& [number, count] : sorted) {
    inside += count;
    while (number - sorted[first].first > width) inside -= sorted[first++].second;
    most = std::max(most, inside);
  }
  return most;
}

}  // namespace

Result<Report> similarity(const ReleasedTable& release, std::size_t sensitive,
                          const anonymize::Hierarchy& taxonomy, std::size_t level) {
  const ReleasedTable::Column& column = release.sensitive[sensitive];
  if (level >= taxonomy.levels() || taxonomy.size(level) < 2) {
    return bad_input(
        fmt::format("level {} of the taxonomy of {} tells no values apart", level, column.name),
        "--level", fmt::format("it has levels 0 to {}", taxonomy.levels() - 1));
  }
  const std::vector<std::uint64_t> totals = release.totals(sensitive);
  std::vector<std::uint32_t> node_of;
  std::vector<std::uint64_t> rows_of_node(taxonomy.size(level));
  for (std::size_t i = 0; i < column.values.size(); ++i) {
    const auto leaf = taxonomy.find(column.values[i].text);
    if (!leaf) {
      return bad_input(
          fmt::format("the taxonomy of {} does not hold '{}'", column.name, column.values[i].text),
          release.name, "add a line for every value of the column");
    }
    node_of.push_back(taxonomy.at(level, *leaf));
    rows_of_node[node_of.back()] += totals[i];
  }
  Report out{.attack = "similarity",
             .adversary = fmt::format(fmt::runtime(kKnows), "which values are alike"),
             .baseline = part(std::ranges::max(rows_of_node), release.classes.rows),
             .is_certain = true};
  const auto learned = [&](const anonymize::Histogram& values) -> std::optional<std::string> {
    const std::uint32_t node = node_of[values.values.front()];
    const bool is_one = std::ranges::all_of(
        values.values, [&](std::uint32_t value) { return node_of[value] == node; });
    if (!is_one) return std::nullopt;
    return taxonomy.label(level, node);
  };
  try_classes(release, sensitive, learned, out);
  return out;
}

Result<std::optional<anonymize::Hierarchy>> taxonomy_of(const ReleasedTable::Column& column,
                                                        const anonymize::Policy& policy) {
  const auto own = std::ranges::find(policy.columns, column.name, &anonymize::ColumnPolicy::name);
  if (own == policy.columns.end() ||
      std::holds_alternative<anonymize::rule::Suppress>(own->hierarchy)) {
    return std::nullopt;
  }
  TACIT_ASSIGN_OR_RETURN(auto taxonomy,
                         build_hierarchy(own->hierarchy, column.values, column.name));
  return taxonomy;
}

Result<Report> closeness(const ReleasedTable& release, std::size_t sensitive, double width) {
  const ReleasedTable::Column& column = release.sensitive[sensitive];
  const auto numbers = numbers_of(column);
  if (!numbers) {
    return bad_input(fmt::format("the values of {} are no numbers", column.name), release.name,
                     "give a taxonomy of its values with --taxonomy");
  }
  Report out{.attack = "similarity",
             .adversary =
                 fmt::format(fmt::runtime(kKnows), fmt::format("a width of {:g} is close", width)),
             .baseline = part(most_within(*numbers, release.totals(sensitive), width),
                              release.classes.rows),
             .is_certain = true};
  const auto learned = [&](const anonymize::Histogram& values) -> std::optional<std::string> {
    double least = std::numeric_limits<double>::infinity();
    double greatest = -least;
    for (const std::uint32_t value : values.values) {
      if (std::isnan((*numbers)[value])) return std::nullopt;
      least = std::min(least, (*numbers)[value]);
      greatest = std::max(greatest, (*numbers)[value]);
    }
    if (greatest - least > width) return std::nullopt;
    return fmt::format("{:g} to {:g}", least, greatest);
  };
  try_classes(release, sensitive, learned, out);
  return out;
}

std::optional<NumberRange> number_range(const ReleasedTable& release, std::size_t sensitive) {
  const auto numbers = numbers_of(release.sensitive[sensitive]);
  if (!numbers) return std::nullopt;
  NumberRange out{.least = std::numeric_limits<double>::infinity(),
                  .greatest = -std::numeric_limits<double>::infinity()};
  for (const double number : *numbers) {
    if (std::isnan(number)) continue;
    out.least = std::min(out.least, number);
    out.greatest = std::max(out.greatest, number);
  }
  return out;
}

}  // namespace tacit::attacks

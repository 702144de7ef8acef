#include "tacit/anonymize/report/report.h"

#include <algorithm>
#include <utility>

#include "tacit/anonymize/report/published_view.h"

namespace tacit::anonymize {
namespace {

// Sets of columns times records: a few seconds.
constexpr double kMostSplits = 2e9;
constexpr std::size_t kMostColumns = 64;  // that sample_uniques() takes

std::optional<SampleUniques> special_uniques(const Records& records, std::size_t largest) {
  if (records.columns > kMostColumns) return {};
  double sets = 1;
  double splits = 0;
  std::size_t size = 0;
  while (size < std::min(largest, records.columns)) {
    sets *= static_cast<double>(records.columns - size) / static_cast<double>(size + 1);
    splits += sets * static_cast<double>(records.size());
    if (splits > kMostSplits) break;
    ++size;
  }
  if (size == 0) return {};
  return sample_uniques(records, size);
}

TableReport table_report(const Records& records, const ReportOptions& options) {
  TableReport out{.risk = reidentification_risk(records.counts)};
  for (const std::uint64_t count : records.counts) out.sizes.add(count);
  for (const double fraction : options.sampling_fractions) {
    out.population.push_back(
        {.sampling_fraction = fraction,
         .uniques = population_uniques(out.sizes, fraction),
         .individual = individual_risks(out.sizes, fraction),
         .intrusion = intrusion_success(out.sizes.of_size(1), out.sizes.of_size(2), fraction)});
  }
  out.special = special_uniques(records, options.largest_unique);
  out.disclosures = disclosures(records);
  return out;
}

PublishedView view_of(const Microdata& data, const Choice& choice) {
  if (choice.partition) return partition_view(*choice.partition);
  return recoded_view(data.records, data.hierarchies, choice.recoding.node, choice.is_kept);
}

std::vector<ColumnReport> column_reports(const Microdata& data, const Node& node,
                                         const std::vector<bool>& is_kept) {
  std::vector<ColumnReport> out;
  for (std::size_t c = 0; c < data.hierarchies.size(); ++c) {
    const Hierarchy& hierarchy = data.hierarchies[c];
    const LeafRows rows = leaf_rows(data.records, is_kept, c, hierarchy);
    out.push_back({.name = data.quasi_identifiers[c].name,
                   .utility = column_utility(hierarchy, node[c], rows),
                   .distribution = distribution(hierarchy, node[c], rows)});
  }
  return out;
}

// The same where classes show what they like.
std::vector<ColumnReport> column_reports(const Microdata& data, const PublishedView& view) {
  std::vector<ColumnReport> out;
  for (std::size_t c = 0; c < data.hierarchies.size(); ++c) {
    const Hierarchy& hierarchy = data.hierarchies[c];
    const LeafRows rows = leaf_rows(data.records, view, c, hierarchy);
    const std::vector<ShownRows> shown = shown_rows(data.records, view, c);
    out.push_back({.name = data.quasi_identifiers[c].name,
                   .utility = column_utility(hierarchy, rows, shown),
                   .distribution = distribution(hierarchy, rows, shown)});
  }
  return out;
}

// The column that the policy wants predicted.
std::optional<Target> target_of(const Microdata& data, const Policy& policy) {
  if (!policy.target) return {};
  const auto place = [&](const std::vector<ColumnPolicy>& columns) -> std::optional<std::size_t> {
    const auto found = std::ranges::find(columns, *policy.target, &ColumnPolicy::name);
    if (found == columns.end()) return {};
    return static_cast<std::size_t>(found - columns.begin());
  };
  if (const auto quasi = place(data.quasi_identifiers)) {
    return Target{.role = Target::Role::kQuasiIdentifier, .column = *quasi};
  }
  const auto sensitive = place(data.sensitive);
  if (!sensitive || *sensitive >= data.records.sensitive.size()) return {};
  return Target{.role = Target::Role::kSensitive, .column = *sensitive};
}

// So many that looking at them takes a moment, and that a picture can show.
std::size_t most_points(const Records& records) {
  constexpr std::size_t kMostRecords = 20'000'000;
  return std::clamp<std::size_t>(kMostRecords / std::max<std::size_t>(records.size(), 1), 40, 500);
}

Report of_table(const Microdata& data, std::vector<ColumnReport> columns,
                const ReportOptions& options) {
  Report out{.table = table_report(data.records, options), .columns = std::move(columns)};
  for (std::size_t s = 0; s < data.records.sensitive.size(); ++s) {
    out.sensitive.push_back(data.sensitive[s].name);
  }
  return out;
}

}  // namespace

std::optional<Classification> classification_of(const Microdata& data, const Policy& policy,
                                                const Choice& choice) {
  const auto target = target_of(data, policy);
  if (!target) return {};
  return classify(data.records, *target, view_of(data, choice));
}

Report report_of(const Microdata& data, const ReportOptions& options) {
  const Node bottom(data.hierarchies.size(), 0);
  const std::vector<bool> all(data.records.size(), true);
  return of_table(data, column_reports(data, bottom, all), options);
}

Report report_of(const Microdata& data, const Policy& policy, const Choice& choice,
                 const ReportOptions& options) {
  const PublishedView view = view_of(data, choice);
  Report out =
      of_table(data,
               choice.partition ? column_reports(data, view)
                                : column_reports(data, choice.recoding.node, choice.is_kept),
               options);
  PublishedReport& published = out.published.emplace();
  published.table = table_report(view.records(data.records), options);
  if (!choice.partition) {
    published.lattice = lattice_points(data, policy, choice, most_points(data.records));
  }
  published.classification = classification_of(data, policy, choice);
  return out;
}

}  // namespace tacit::anonymize

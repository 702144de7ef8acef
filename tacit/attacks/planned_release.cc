#include "tacit/attacks/planned_release.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

#include "tacit/anonymize/measure.h"

namespace tacit::attacks {
namespace {

using anonymize::Choice;
using anonymize::Classes;
using anonymize::Grouper;
using anonymize::Histogram;
using anonymize::Histograms;
using anonymize::Microdata;

using Leaves = std::vector<std::uint32_t>;

// Sums histograms class by class.
class HistogramSums {
 public:
  void add(std::size_t to, const Histogram& rows) {
    if (sums_.size() <= to) sums_.resize(to + 1);
    for (std::size_t i = 0; i < rows.values.size(); ++i)
      sums_[to][rows.values[i]] += rows.counts[i];
  }

  [[nodiscard]] Histograms build() const {
    Histograms out;
    for (const auto& own : sums_) {
      for (const auto& [value, rows] : own) {
        out.values.push_back(value);
        out.counts.push_back(rows);
      }
      out.ends.push_back(out.values.size());
    }
    return out;
  }

 private:
  std::vector<std::map<std::uint32_t, std::uint64_t>> sums_;
};

// Puts records into the classes that will be published.
class Planning {
 public:
  Planning(const Microdata& data, const Choice& choice)
      : data_(data), choice_(choice), places_(data.hierarchies.size()) {
    const ReleasedTable people = ReleasedTable::of(data);
    out_.table = {.name = "the new release", .sensitive = people.sensitive};
    out_.table.classes.columns = data.records.columns;
    for (const auto& column : people.quasi_identifiers) {
      out_.table.quasi_identifiers.push_back({.name = column.name});
    }
    out_.class_of.assign(data.records.size(), PlannedRelease::kSuppressed);
    if (choice.partition) {
      parts_.resize(data.records.size());
      for (const auto& share : choice.partition->shares) parts_[share.record] = share.in;
    }
    sensitive_.resize(people.sensitive.size());
  }

  void add(std::uint32_t record) {
    const std::uint64_t rows = data_.records.counts[record];
    if (!choice_.is_kept[record] || rows == 0) return;
    anonymize::Records& classes = out_.table.classes;
    const std::uint32_t to = class_of(record);
    out_.class_of[record] = to;
    classes.counts[to] += rows;
    classes.rows += rows;
    for (std::size_t i = 0; i < sensitive_.size(); ++i) {
      sensitive_[i].add(to, data_.records.sensitive[i].at(record));
    }
  }

  [[nodiscard]] PlannedRelease result() && {
    for (const auto& each : sensitive_) out_.table.classes.sensitive.push_back(each.build());
    return std::move(out_);
  }

 private:
  // What is shown of a record in a column.
  [[nodiscard]] const std::string& label(std::uint32_t record, std::size_t column) const {
    if (choice_.partition) return choice_.partition->label(parts_[record], column);
    const auto& hierarchy = data_.hierarchies[column];
    const std::size_t level = choice_.recoding.node[column];
    return hierarchy.label(level, hierarchy.at(level, data_.records.record(record)[column]));
  }

  std::uint32_t class_of(std::uint32_t record) {
    Leaves shown;
    for (std::size_t i = 0; i < places_.size(); ++i) {
      auto& values = out_.table.quasi_identifiers[i].values;
      const auto [found, is_new] =
          places_[i].emplace(label(record, i), static_cast<std::uint32_t>(values.size()));
      if (is_new) values.push_back({.text = found->first});
      shown.push_back(found->second);
    }
    anonymize::Records& classes = out_.table.classes;
    const auto [found, is_new] =
        classes_.emplace(shown, static_cast<std::uint32_t>(classes_.size()));
    if (is_new) {
      classes.leaves.insert(classes.leaves.end(), shown.begin(), shown.end());
      classes.counts.push_back(0);
    }
    return found->second;
  }

  const Microdata& data_;
  const Choice& choice_;
  std::vector<std::uint32_t> parts_;  // of each record: its class in a partition
  std::vector<std::unordered_map<std::string, std::uint32_t>> places_;  // of labels
  std::map<Leaves, std::uint32_t> classes_;                             // by their labels
  std::vector<HistogramSums> sensitive_;
  PlannedRelease out_;
};

// What is left of a table where only some of its records are published.
struct Left {
  Grouper grouper;
  Classes classes;
  std::vector<std::uint8_t> is_kept;  // of each class

  Left(const Microdata& data, const Choice& choice)
      : grouper(data.records, data.hierarchies, !data.sensitive_values.empty()),
        classes(choice.partition ? choice.partition->classes(data.records)
                                 : grouper.coarsen(grouper.finest(), choice.recoding.node)),
        is_kept(classes.size(), choice.partition ? 1 : 0) {
    for (std::size_t i = 0; !choice.partition && i < data.records.size(); ++i) {
      if (choice.is_kept[i]) is_kept[grouper.class_of()[i]] = 1;
    }
  }

  [[nodiscard]] std::vector<std::uint64_t> sizes() const {
    std::vector<std::uint64_t> out;
    for (std::size_t i = 0; i < classes.size(); ++i) {
      if (is_kept[i] != 0) out.push_back(classes.counts[i]);
    }
    return out;
  }

  // Of a global recoding.
  [[nodiscard]] double score(const Microdata& data, const anonymize::Policy& policy,
                             const Choice& choice) const {
    return measure_of(policy, data)
        ->score({.codes = grouper.codes(),
                 .classes = classes,
                 .is_kept = is_kept,
                 .suppressed = choice.recoding.suppressed});
  }
};

}  // namespace

Result<PlannedRelease> PlannedRelease::create(const Microdata& data, const Choice& choice) {
  if (choice.partition && choice.partition->splits_records()) {
    return bad_input(
        "rows that are alike go into several classes, and chance decides which when the table is "
        "written: what it reveals together with earlier ones is not known before",
        data.source.name(), "take 'relaxed' out of [method] in the policy");
  }
  Planning planning(data, choice);
  for (std::uint32_t record = 0; record < data.records.size(); ++record) planning.add(record);
  return std::move(planning).result();
}

Result<void> check_comparable(const anonymize::Policy& policy) {
  for (const anonymize::ColumnPolicy& column : policy.columns) {
    const bool is_met = column.role == anonymize::Role::kQuasiIdentifier ||
                        column.role == anonymize::Role::kSensitive;
    if (!is_met || column.change.is_none()) continue;
    return bad_input(
        fmt::format("'{}' is changed before it is published: what it shows is not what people "
                    "have, and rules no value out, so that releases cannot be met by it",
                    column.name),
        policy.file, "take the change out of the policy, and make the column coarser instead");
  }
  if (std::holds_alternative<anonymize::rule::Microaggregation>(policy.method)) {
    return bad_input(
        "groups show a center, which does not tell whose they are: the values that a person may "
        "have by two such releases are not known",
        policy.file, "choose another [method], such as \"mondrian\"");
  }
  return {};
}

namespace {

// The classes of a partition in which records of these classes are.
std::set<std::uint32_t> parts_of(const std::set<std::uint32_t>& classes,
                                 const PlannedRelease& planned,
                                 const anonymize::Partition& partition) {
  std::set<std::uint32_t> out;
  for (const auto& share : partition.shares) {
    if (classes.contains(planned.class_of[share.record])) out.insert(share.in);
  }
  return out;
}

}  // namespace

Result<void> suppress_classes(const std::set<std::uint32_t>& classes, const PlannedRelease& planned,
                              const Microdata& data, const anonymize::Policy& policy,
                              Choice& choice) {
  if (choice.partition) {
    choice.partition = choice.partition->without(parts_of(classes, planned, *choice.partition));
  }
  for (std::size_t i = 0; i < data.records.size(); ++i) {
    if (!choice.is_kept[i] || !classes.contains(planned.class_of[i])) continue;
    choice.is_kept[i] = false;
    choice.recoding.suppressed += data.records.counts[i];
  }
  const anonymize::Criteria criteria = criteria_of(policy, data.records);
  if (choice.recoding.suppressed > criteria.most_suppressed) {
    const double part =
        static_cast<double>(choice.recoding.suppressed) / static_cast<double>(data.records.rows);
    return bad_input(
        fmt::format("{} of {} rows would have to be suppressed, and {} may be",
                    choice.recoding.suppressed, data.records.rows, criteria.most_suppressed),
        policy.file,
        fmt::format("this would do: suppression = {:g}; or publish the recoding of "
                    "the earlier release",
                    std::ceil(part * 1e4) / 1e4));
  }
  const Left left(data, choice);
  for (const auto& criterion : criteria.table) {
    if (criterion->holds(left.classes, left.is_kept)) continue;
    return bad_input(
        "without the rows that must be suppressed a criterion on the whole table fails",
        policy.file, "ask for less risk of each class instead, by a larger k");
  }
  choice.risk = anonymize::reidentification_risk(left.sizes());
  choice.recoding.score =
      choice.partition ? choice.partition->penalty() : left.score(data, policy, choice);
  return {};
}

}  // namespace tacit::attacks

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

// Puts people into the classes that will be published.
class Planning {
 public:
  Planning(const ReleasedTable& people, const Microdata& data, const Choice& choice)
      : people_(people), data_(data), choice_(choice), places_(data.hierarchies.size()) {
    for (std::uint32_t i = 0; i < data.records.size(); ++i) {
      const std::uint32_t* const leaves = data.records.record(i);
      records_.emplace(Leaves(leaves, leaves + data.records.columns), i);
    }
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

  // False where the data has no such people.
  [[nodiscard]] bool add(std::size_t person) {
    const auto found = records_.find(leaves_of(person));
    if (found == records_.end()) return false;
    const std::uint32_t record = found->second;
    if (!choice_.is_kept[record]) return true;
    anonymize::Records& classes = out_.table.classes;
    const std::uint32_t to = class_of(record);
    out_.class_of[record] = to;
    classes.counts[to] += people_.classes.counts[person];
    classes.rows += people_.classes.counts[person];
    for (std::size_t i = 0; i < sensitive_.size(); ++i) {
      sensitive_[i].add(to, people_.classes.sensitive[i].at(person));
    }
    return true;
  }

  [[nodiscard]] PlannedRelease result() && {
    for (const auto& each : sensitive_) out_.table.classes.sensitive.push_back(each.build());
    return std::move(out_);
  }

 private:
  // Empty where the data has not all of the person's values.
  [[nodiscard]] Leaves leaves_of(std::size_t person) const {
    Leaves out;
    for (std::size_t i = 0; i < data_.hierarchies.size(); ++i) {
      const auto& values = people_.quasi_identifiers[i].values;
      const auto leaf = data_.hierarchies[i].find(values[people_.classes.record(person)[i]].text);
      if (!leaf) return {};
      out.push_back(*leaf);
    }
    return out;
  }

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

  const ReleasedTable& people_;
  const Microdata& data_;
  const Choice& choice_;
  std::map<Leaves, std::uint32_t> records_;
  std::vector<std::uint32_t> parts_;  // of each record: its class in a partition
  std::vector<std::unordered_map<std::string, std::uint32_t>> places_;  // of labels
  std::map<Leaves, std::uint32_t> classes_;                             // by their labels
  std::vector<HistogramSums> sensitive_;
  PlannedRelease out_;
};

// What is left of a table where only these records are published.
struct Left {
  Grouper grouper;
  Classes classes;
  std::vector<std::uint8_t> is_kept;  // of each class

  Left(const Microdata& data, const Choice& choice)
      : grouper(data.records, data.hierarchies, !data.sensitive_values.empty()),
        classes(grouper.coarsen(grouper.finest(), choice.recoding.node)),
        is_kept(classes.size()) {
    for (std::size_t i = 0; i < data.records.size(); ++i) {
      if (choice.is_kept[i]) is_kept[grouper.class_of()[i]] = 1;
    }
  }
};

}  // namespace

Result<PlannedRelease> PlannedRelease::create(const ReleasedTable& people, const Microdata& data,
                                              const Choice& choice) {
  const auto refusal = [&] {
    return bad_input(
        "what will be published cannot be known before: it is not all rows of the "
        "table as they are, by one global recoding",
        data.source.name(), "publish it elsewhere, and look with 'tacit attack composition'");
  };
  if (choice.partition && choice.partition->splits_records()) return refusal();
  Planning planning(people, data, choice);
  for (std::size_t person = 0; person < people.classes.size(); ++person) {
    if (!planning.add(person)) return refusal();
  }
  PlannedRelease out = std::move(planning).result();
  const anonymize::Records& classes = out.table.classes;
  if (classes.rows != choice.risk.rows || classes.size() != choice.risk.classes) return refusal();
  return out;
}

Result<void> suppress_classes(const std::set<std::uint32_t>& classes, const PlannedRelease& planned,
                              const Microdata& data, const anonymize::Policy& policy,
                              Choice& choice) {
  if (choice.partition) {
    return bad_input("only a global recoding can be repaired by suppressing classes", policy.file,
                     "take [method] out of the policy, or ask for coarser classes");
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
  const auto measure = measure_of(policy, data);
  choice.recoding.score = measure->score({.codes = left.grouper.codes(),
                                          .classes = left.classes,
                                          .is_kept = left.is_kept,
                                          .suppressed = choice.recoding.suppressed});
  std::vector<std::uint64_t> sizes;
  for (std::size_t i = 0; i < left.classes.size(); ++i) {
    if (left.is_kept[i] != 0) sizes.push_back(left.classes.counts[i]);
  }
  choice.risk = anonymize::reidentification_risk(sizes);
  return {};
}

}  // namespace tacit::attacks

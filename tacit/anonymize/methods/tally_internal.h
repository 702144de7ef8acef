#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tacit/anonymize/classes.h"
#include "tacit/anonymize/methods/partition.h"
#include "tacit/anonymize/records.h"

namespace tacit::anonymize {

// Sees whole records as the class that they would be together. Keeps its scratch space: a view
// lasts until the next one.
class Tally {
 public:
  // They must outlive it.
  explicit Tally(const Records& records) : records_(records), columns_(records.sensitive.size()) {
    for (std::size_t s = 0; s < columns_.size(); ++s) {
      columns_[s].rows.resize(records.sensitive[s].totals().size());
    }
  }

  // With the histograms of the sensitive columns.
  ClassView view(std::span<const RecordRows> members) {
    ClassView out = sizes(members);
    histograms_.clear();
    for (std::size_t s = 0; s < columns_.size(); ++s) histograms_.push_back(count(s, members));
    out.histograms = histograms_;
    return out;
  }

  // Without them. Also for parts of records, where nobody looks at the population.
  [[nodiscard]] ClassView sizes(std::span<const RecordRows> members) const {
    ClassView out;
    for (const RecordRows& each : members) {
      out.rows += each.rows;
      if (!records_.population.empty()) out.population += records_.population[each.record];
    }
    return out;
  }

 private:
  struct Column {
    std::vector<std::uint64_t> rows;  // of each value; 0 between two counts
    std::vector<std::uint32_t> values;
    std::vector<std::uint64_t> counts;
  };

  Histogram count(std::size_t s, std::span<const RecordRows> members) {
    Column& column = columns_[s];
    column.values.clear();
    column.counts.clear();
    for (const RecordRows& each : members) {
      const Histogram part = records_.sensitive[s].at(each.record);
      for (std::size_t i = 0; i < part.values.size(); ++i) {
        if (column.rows[part.values[i]] == 0) column.values.push_back(part.values[i]);
        column.rows[part.values[i]] += part.counts[i];
      }
    }
    for (const std::uint32_t value : column.values) {
      column.counts.push_back(column.rows[value]);
      column.rows[value] = 0;
    }
    return {.values = column.values, .counts = column.counts};
  }

  const Records& records_;
  std::vector<Column> columns_;  // the sensitive ones
  std::vector<Histogram> histograms_;
};

}  // namespace tacit::anonymize

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tacit/anonymize/hierarchy.h"
#include "tacit/anonymize/lattice.h"
#include "tacit/anonymize/methods/partition.h"
#include "tacit/anonymize/records.h"

namespace tacit::anonymize {

// A published table as a report sees it, whatever made it: the classes, what they show in each
// column, as numbers, and the rows of each record that are in them. Rows that are in none were
// suppressed.
struct PublishedView {
  std::size_t columns = 0;
  std::vector<std::uint32_t> cells;      // class by class
  std::vector<std::uint64_t> rows;       // of each class
  std::vector<Partition::Share> shares;  // by record

  [[nodiscard]] const std::uint32_t* cells_of(std::size_t index) const {
    return cells.data() + (index * columns);
  }
  // Those of a record.
  [[nodiscard]] std::span<const Partition::Share> shares_of(std::uint32_t record) const;
  // Whether rows of one record are in several classes, or only some of them in any: then nobody
  // knows which sensitive values are where.
  [[nodiscard]] bool splits(const Records& records) const;
  // The table as records, with what is shown in place of leaves. Without sensitive columns where
  // it splits a record.
  [[nodiscard]] Records records(const Records& from) const;
};

// The table as it was: each record is a class.
PublishedView unchanged_view(const Records& records);
// A global recoding. `is_kept`: of each record.
PublishedView recoded_view(const Records& records, std::span<const Hierarchy> hierarchies,
                           const Node& node, const std::vector<bool>& is_kept);
PublishedView partition_view(const Partition& partition);

}  // namespace tacit::anonymize

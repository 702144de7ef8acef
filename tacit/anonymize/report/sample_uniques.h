#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tacit/anonymize/records.h"

namespace tacit::anonymize {

// Special uniques after Elliot, Manning and Ford (2002). A set of columns in which a row is unique,
// while it is not in any part of the set, is a minimal sample unique of that row. A row that has
// small ones, or many, is more likely to be unique in the population too.
struct SampleUniques {
  std::size_t largest = 0;             // columns of the sets that were searched, at most
  std::vector<std::uint64_t> by_size;  // minimal sample uniques of 1, 2, ... columns
  // For each record: the sum over its minimal sample uniques of (C - k)(C - k - 1) ... (C - M),
  // where k is the size of the set, C the number of columns and M the largest size; 0 where there
  // is none (Elliot and others, 2005).
  std::vector<double> scores;
  // For each column the part of all scores that comes from sets with it.
  std::vector<double> contributions;
  std::uint64_t special = 0;  // rows with a score

  [[nodiscard]] double highest() const;
  [[nodiscard]] double total() const;
  // The chance (see intrusion_success) that is a record's own: `success`, which rows that are alone
  // have on average, shared out by the scores (Elliot and Manning, 2003); at most 1.
  [[nodiscard]] double intrusion(double score, double success, std::uint64_t alone) const;
};

// Finds those of at most `largest` columns, and of fewer than all. There may be at most 64 columns.
//
// It is the problem that SUDA2 solves (Manning, Haglin and Keane, 2008), by other means: sets of
// columns are visited so that all parts of one come before it, and the records of a set are split
// by a column more. A record that is alone leaves (it is unique in every larger set, where it is
// minimal no more), and with it groups in which nobody can become alone: stripped partitions
// (Huhtala and others, 1999). A record is minimal where none of its earlier sets is a part.
SampleUniques sample_uniques(const Records& records, std::size_t largest);

// That a match of a row that is unique in a simple random sample is right: data intrusion simulated
// (Skinner and Elliot, 2002), from the numbers of classes with one and with two rows.
double intrusion_success(std::uint64_t alone, std::uint64_t pairs, double sampling_fraction);

}  // namespace tacit::anonymize

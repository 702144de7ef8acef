#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "tacit/anonymize/criteria/criterion.h"
#include "tacit/anonymize/measure.h"
#include "tacit/anonymize/methods/partition.h"
#include "tacit/anonymize/microdata.h"
#include "tacit/anonymize/policy.h"
#include "tacit/anonymize/risk.h"
#include "tacit/anonymize/search.h"
#include "tacit/base/error.h"

namespace tacit::anonymize {

// What the policy asks of a table that is made from this one.
Criteria criteria_of(const Policy& policy, const Records& records);

// What the policy judges recodings of it by. The data must outlive it.
std::unique_ptr<Measure> measure_of(const Policy& policy, const Microdata& data);

// What was chosen for a table, and what is left of it.
struct Choice {
  // A level for each column; where there is a partition, those that it started from, and its
  // penalty as the score.
  Recoding recoding;
  // Of a method that publishes class by class.
  std::optional<Partition> partition;
  std::vector<bool> is_kept;  // of each record
  ReidentificationRisk risk;  // of what is kept
  std::size_t nodes = 0;      // of the lattice
  std::size_t looked_at = 0;
  bool is_best = true;  // not where the search was ended before
};

// The best recoding that satisfies the policy, or the best so far where `watch` ends the search; or
// what another method of the policy makes of the table. Where there is none, a refusal that says
// what would do.
Result<Choice> choose(const Microdata& data, const Policy& policy, const Search::Watch& watch = {});

}  // namespace tacit::anonymize

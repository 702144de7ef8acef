#pragma once

#include <cstddef>
#include <functional>
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
  std::size_t nodes = 0;      // of the lattice; the largest number where there are even more
  std::size_t looked_at = 0;
  bool is_best = true;  // not known where the search was ended before, or bounded
  // Of a bounded search: no recoding scores less.
  std::optional<double> at_least;
};

// Asked after each look whether to go on: how many recodings were looked at, of at most how many;
// or, of a method that deals rows out to groups, which part of that is done.
using ChoiceWatch = std::function<bool(std::size_t looked_at, std::size_t most)>;

// At how many recodings is looked where there are too many for an exact search.
inline constexpr std::size_t kMostLooks = 10'000;

// The best recoding that satisfies the policy, or the best so far where `watch` ends the search, or
// the best that so many looks find where a lattice is too large; or what another method of the
// policy makes of the table. Where there is none, a refusal that says what would do.
Result<Choice> choose(const Microdata& data, const Policy& policy, const ChoiceWatch& watch = {},
                      std::size_t most_looks = kMostLooks);

}  // namespace tacit::anonymize

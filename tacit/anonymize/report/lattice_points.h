#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tacit/anonymize/choice.h"
#include "tacit/anonymize/microdata.h"
#include "tacit/anonymize/policy.h"

namespace tacit::anonymize {

// A recoding in a picture of risk against utility. Where it satisfies the policy, rows that it
// suppresses count as such; where it does not, all rows are taken as it recodes them.
struct LatticePoint {
  Node node;
  bool fits = false;
  double score = 0;  // by the policy's measure
  std::uint64_t suppressed = 0;
  double average_risk = 0;  // of the prosecutor
  double highest_risk = 0;
  bool is_chosen = false;
};

// Some recodings: all where there are no more than `most`, else as many, spread evenly, with the
// finest, the coarsest, the chosen one and its neighbours.
std::vector<LatticePoint> lattice_points(const Microdata& data, const Policy& policy,
                                         const Choice& choice, std::size_t most);

}  // namespace tacit::anonymize

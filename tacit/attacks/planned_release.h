#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "tacit/anonymize/choice.h"
#include "tacit/anonymize/microdata.h"
#include "tacit/anonymize/policy.h"
#include "tacit/attacks/released_table.h"
#include "tacit/base/error.h"

namespace tacit::attacks {

// A release that is chosen but not written yet, as an adversary will read it.
struct PlannedRelease {
  static constexpr std::uint32_t kSuppressed = UINT32_MAX;

  ReleasedTable table;
  std::vector<std::uint32_t> class_of;  // of each record of the data, or kSuppressed

  // `people` are the rows of the data, with all their sensitive values. Refused where what will be
  // published is not made of these rows as the choice says, such as a sample of them.
  static Result<PlannedRelease> create(const ReleasedTable& people,
                                       const anonymize::Microdata& data,
                                       const anonymize::Choice& choice);
};

// Suppresses some classes of a planned release as well. Refused where it is no global recoding,
// where these are more rows than the policy lets be suppressed, or where what is left breaks a
// criterion on the whole table.
Result<void> suppress_classes(const std::set<std::uint32_t>& classes, const PlannedRelease& planned,
                              const anonymize::Microdata& data, const anonymize::Policy& policy,
                              anonymize::Choice& choice);

}  // namespace tacit::attacks

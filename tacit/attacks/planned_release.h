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

  // The data has all its sensitive values. Refused where chance decides, when the table is written,
  // which of the rows that are alike goes into which class.
  static Result<PlannedRelease> create(const anonymize::Microdata& data,
                                       const anonymize::Choice& choice);
};

// Whether what a policy publishes tells of a person a set of values, which can be met with those of
// earlier releases. Refused where a quasi-identifier or sensitive column is changed, and where
// groups show centers.
Result<void> check_comparable(const anonymize::Policy& policy);

// Suppresses some classes of a planned release as well. Refused where these are more rows than the
// policy lets be suppressed, or where what is left breaks a criterion on the whole table.
Result<void> suppress_classes(const std::set<std::uint32_t>& classes, const PlannedRelease& planned,
                              const anonymize::Microdata& data, const anonymize::Policy& policy,
                              anonymize::Choice& choice);

}  // namespace tacit::attacks

#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "tacit/anonymize/hierarchy.h"
#include "tacit/anonymize/policy.h"
#include "tacit/attacks/released_table.h"
#include "tacit/attacks/report.h"

namespace tacit::attacks {

// Whom a new release exposes together with earlier ones of the same people, though each release by
// itself satisfies its policy.
//
// Somebody who knows that a person is in the new release and in an earlier one (or in all of them)
// leaves the sensitive values that each of these releases leaves possible. The person is exposed
//  - by values, where these are fewer than the policy's diversity asks for (2 where it asks for
//    none) and fewer than each of the releases leaves by itself;
//  - by rows, where fewer than k rows of the person's class in one of the releases have one of
//    them, and not all of the class.
// People whose true value is not among those left are not: they are not in all of the releases, and
// what is concluded of them is wrong.
struct JointExposure {
  std::uint64_t checked = 0;        // people who may be in the new release and in an earlier one
  std::uint64_t by_values = 0;      // people
  std::uint64_t by_rows = 0;        // people who are not exposed by values
  std::set<std::uint32_t> classes;  // of the new release, in which those people are
  std::vector<Victim> victims;      // some of them

  [[nodiscard]] std::uint64_t people() const { return by_values + by_rows; }
};

// `people` are the rows from which the new release was made, and `hierarchies` those of their
// quasi-identifiers.
JointExposure joint_exposure(const ReleasedTable& people,
                             std::span<const anonymize::Hierarchy> hierarchies,
                             const anonymize::Policy& policy, const ReleasedTable& release,
                             std::span<const ReleasedTable> earlier);

}  // namespace tacit::attacks

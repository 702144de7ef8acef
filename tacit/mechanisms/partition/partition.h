#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tacit/base/error.h"
#include "tacit/base/rational.h"
#include "tacit/privacy/cost.h"

namespace tacit {

// Private selection of group keys. Where the keys of a grouping are not public, showing a key that
// only one unit has would betray that unit; these mechanisms show a key with a probability that
// depends on how many units have it. Which keys were present is private: only what they return may
// be seen, and they return it in the order of the keys.

// A key that is present and the number of different units that have it. A unit counts once a group.
struct GroupCount {
  std::string key;
  std::uint64_t units = 0;
};

// A key that is shown, with a count that carries the noise that decided.
struct NoisyGroup {
  std::string key;
  std::int64_t noisy_units = 0;
  bool operator==(const NoisyGroup&) const = default;
};

// The same by its index in a list that the caller keeps.
struct NoisyIndex {
  std::size_t index = 0;
  std::int64_t noisy_units = 0;
  bool operator==(const NoisyIndex&) const = default;
};

struct PartitionPrivacy {
  Rational epsilon;
  Rational delta;
  // The most groups in which one unit counts (the cap kappa). Whoever counts must make it true.
  std::uint64_t groups_per_unit = 1;
  Neighbours neighbours = Neighbours::kAddRemove;
};

// Refuses an epsilon or delta that is not above 0, an epsilon above 1000, a delta of 1/2 or more a
// group, a cap of 0.
Result<void> check(const PartitionPrivacy& privacy);

// The number of units of each group.
std::vector<std::uint64_t> units_of(std::span<const GroupCount> groups);

// All mechanisms here are proved for add/remove; for replace they cost two of those.
Result<Cost> under(Neighbours neighbours, Cost add_remove);

}  // namespace tacit

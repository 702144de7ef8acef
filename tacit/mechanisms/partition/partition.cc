#include "tacit/mechanisms/partition/partition.h"

#include <algorithm>
#include <utility>

namespace tacit {
namespace {

constexpr std::int64_t kLargestEpsilon = 1000;

}  // namespace

Result<void> check(const PartitionPrivacy& privacy) {
  if (privacy.epsilon.sign() <= 0 || privacy.epsilon > kLargestEpsilon) {
    return bad_input("must be above 0 and at most 1000", "epsilon", "give a number such as 0.5");
  }
  if (privacy.groups_per_unit == 0) return bad_input("must be at least 1", "groups per unit");
  const Rational groups(mpq_class(privacy.groups_per_unit));
  if (privacy.delta.sign() <= 0 || privacy.delta * 2 >= groups || privacy.delta >= 1) {
    return bad_input("must be above 0, below 1, and below 1/2 for each group of a unit", "delta",
                     "keys that are not public cannot be shown at delta 0; give one far below one "
                     "over the number of units, such as 1e-8");
  }
  return {};
}

std::vector<std::uint64_t> units_of(std::span<const GroupCount> groups) {
  std::vector<std::uint64_t> units(groups.size());
  std::ranges::transform(groups, units.begin(), &GroupCount::units);
  return units;
}

Result<Cost> under(Neighbours neighbours, Cost add_remove) {
  if (neighbours == Neighbours::kAddRemove) return add_remove;
  return Cost::as_replace(std::move(add_remove));
}

}  // namespace tacit

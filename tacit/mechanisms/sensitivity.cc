#include "tacit/mechanisms/sensitivity.h"

#include <algorithm>
#include <limits>

#include "tacit/base/int128.h"

namespace tacit {
namespace {

// Squares must fit a word.
constexpr uint128 kLargest = std::numeric_limits<std::uint32_t>::max();
constexpr uint128 kWord = std::numeric_limits<std::uint64_t>::max();

std::unexpected<Error> too_large() {
  return bad_input("one unit can move the answer by more than 2^32 steps of the grid",
                   "sensitivity", "use tighter bounds, a coarser grid or fewer rows for each unit");
}

Result<void> check(const Contribution& contribution) {
  if (contribution.rows == 0) {
    return bad_input("a unit that has no rows needs no protection", "contribution",
                     "give the most rows of one unit, 1 or more");
  }
  if (contribution.rows > kLargest) return too_large();
  return {};
}

// How far the values of one row can move the sum, for each row that one unit has.
uint128 reach(StepRange range, const Contribution& contribution) {
  const int128 lower = range.lower;
  const int128 upper = range.upper;
  if (contribution.neighbours == Neighbours::kAddRemove) {
    return static_cast<uint128>(std::max(upper < 0 ? -upper : upper, lower < 0 ? -lower : lower));
  }
  if (contribution.fixed_rows) return static_cast<uint128>(upper - lower);
  return static_cast<uint128>(std::max<int128>(upper, 0) - std::min<int128>(lower, 0));
}

}  // namespace

Result<Sensitivity> sum_sensitivity(StepRange range, const Contribution& contribution) {
  return sums_sensitivity(std::span(&range, 1), contribution);
}

Result<Sensitivity> sums_sensitivity(std::span<const StepRange> ranges,
                                     const Contribution& contribution) {
  TACIT_RETURN_IF_ERROR(check(contribution));
  if (ranges.empty()) return bad_input("there is nothing to sum", "sums", "give one bound or more");
  uint128 l1 = 0;
  uint128 squared_l2 = 0;
  std::uint64_t moving = 0;
  for (const StepRange& range : ranges) {
    const uint128 row = reach(range, contribution);
    if (row > kLargest || row * contribution.rows > kLargest) return too_large();
    const uint128 unit = row * contribution.rows;
    l1 += unit;
    squared_l2 += unit * unit;
    moving += unit > 0 ? 1 : 0;
  }
  if (l1 > kWord || squared_l2 > kWord) return too_large();
  return Sensitivity{.l1 = static_cast<std::uint64_t>(l1),
                     .squared_l2 = static_cast<std::uint64_t>(squared_l2),
                     .coordinates = ranges.size(),
                     .one_coordinate = moving <= 1,
                     .neighbours = contribution.neighbours};
}

Result<Sensitivity> histogram_sensitivity(std::uint64_t bins, const Contribution& contribution) {
  TACIT_RETURN_IF_ERROR(check(contribution));
  if (bins == 0) return bad_input("a histogram needs a bin", "bins", "give one bin or more");
  if (bins == 1) return sum_sensitivity({0, 1}, contribution);  // a row may miss the bin
  const std::uint64_t rows = contribution.rows;
  const bool replace = contribution.neighbours == Neighbours::kReplace;
  const std::uint64_t twice = replace ? 2 : 1;
  if (rows > kLargest / twice) return too_large();
  return Sensitivity{.l1 = twice * rows,
                     .squared_l2 = twice * rows * rows,
                     .coordinates = bins,
                     .one_coordinate = !replace && rows == 1,
                     .neighbours = contribution.neighbours};
}

Result<Sensitivity> group_sums_sensitivity(StepRange range, const GroupContribution& contribution) {
  TACIT_RETURN_IF_ERROR(check({.rows = contribution.rows}));
  if (contribution.groups == 0) {
    return bad_input("a unit that is in no group needs no protection", "contribution",
                     "give the most groups of one unit, 1 or more");
  }
  const uint128 groups = contribution.groups;
  const uint128 up = static_cast<uint128>(std::max<std::int64_t>(range.upper, 0));
  const uint128 down = static_cast<uint128>(-int128{std::min<std::int64_t>(range.lower, 0)});
  if (std::max(up, down) > kLargest || groups > kLargest) return too_large();
  const uint128 both = (up + down) * contribution.rows;
  const uint128 most = std::max(up, down) * contribution.rows;
  if (most > kLargest) return too_large();
  const bool replace = contribution.neighbours == Neighbours::kReplace;
  const uint128 l1 = (replace ? 2 : 1) * groups * most;
  const uint128 group_squared = replace ? std::max(2 * most * most, both * both) : most * most;
  if (group_squared > kWord / groups || l1 > kWord) return too_large();
  return Sensitivity{.l1 = static_cast<std::uint64_t>(l1),
                     .squared_l2 = static_cast<std::uint64_t>(groups * group_squared),
                     .coordinates = (replace ? 2 : 1) * contribution.groups,
                     .one_coordinate = !replace && contribution.groups == 1,
                     .neighbours = contribution.neighbours,
                     .any_length = true};
}

}  // namespace tacit

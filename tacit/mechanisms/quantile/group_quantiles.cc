#include "tacit/mechanisms/quantile/group_quantiles.h"

#include <utility>

namespace tacit {
namespace {

constexpr std::uint64_t kMostGroups = std::uint64_t{1} << 40;

// How many groups neighbours can differ in (proof.md, theorem 5).
std::uint64_t groups_that_differ(std::uint64_t groups_per_unit, Neighbours neighbours) {
  return neighbours == Neighbours::kReplace ? 2 * groups_per_unit : groups_per_unit;
}

}  // namespace

Result<GroupQuantiles> GroupQuantiles::create(const std::vector<Rational>& shares, Clamp clamp,
                                              const Rational& epsilon,
                                              std::uint64_t groups_per_unit,
                                              const QuantileOptions& options) {
  if (groups_per_unit == 0 || groups_per_unit > kMostGroups) {
    return bad_input("must be between 1 and 2^40", "groups of a unit");
  }
  const std::uint64_t times = groups_that_differ(groups_per_unit, options.contribution.neighbours);
  TACIT_ASSIGN_OR_RETURN(
      Quantile one,
      Quantile::create(shares, clamp, epsilon / Rational(static_cast<std::int64_t>(times)),
                       options));
  TACIT_ASSIGN_OR_RETURN(Cost cost, Cost::repeat(times, one.cost()));
  Rational all = epsilon * Rational(static_cast<std::int64_t>(shares.size()));
  return GroupQuantiles(std::move(one), std::move(all), std::move(cost));
}

Result<GroupQuantiles> GroupQuantiles::with_bare_cost() const {
  TACIT_ASSIGN_OR_RETURN(Cost bare, Cost::leaf(cost::Pure{epsilon_}, cost_.neighbours()));
  return GroupQuantiles(one_, epsilon_, std::move(bare));
}

Result<std::vector<std::vector<Released<double>>>> GroupQuantiles::release_counts(
    std::span<const std::vector<GridCount>> groups, Permit&& permit, SecureStream& stream) const {
  TACIT_RETURN_IF_ERROR(std::move(permit).consume(cost_));
  std::vector<std::vector<Released<double>>> answers;
  answers.reserve(groups.size());
  for (const std::vector<GridCount>& counts : groups) {
    answers.push_back(one_.draw_counts(counts, stream));
  }
  return answers;
}

}  // namespace tacit

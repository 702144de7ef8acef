#include "tacit/sql/release.h"

#include <fmt/format.h>

#include <utility>

#include "tacit/sql/learned.h"
#include "tacit/sql/release_internal.h"
#include "tacit/sql/released_table_internal.h"

namespace tacit::sql {
namespace {

// 128 random bits, in hexadecimal.
std::string fresh_secret(SecureStream& stream) {
  return fmt::format("{:016x}{:016x}", stream.next(), stream.next());
}

// The groups that are shown: all public ones, or those that the selection keeps.
Result<std::vector<GroupKeyValues>> shown_groups(const AggregationPlan& plan,
                                                 const ExactGroups& exact, Engine& engine,
                                                 Permit& permit, SecureStream& stream) {
  if (plan.public_keys) return public_groups(plan, engine);
  std::vector<std::uint64_t> units;
  std::vector<const GroupKeyValues*> keys;
  for (const auto& [key, group] : exact) {
    units.push_back(group.units);
    keys.push_back(&key);
  }
  if (!plan.selection) return not_priced();
  const TruncatedGeometric& selection = *plan.selection;
  TACIT_ASSIGN_OR_RETURN(Permit part, permit.take(selection.cost()));
  TACIT_ASSIGN_OR_RETURN(const auto kept, selection.select(units, std::move(part), stream));
  std::vector<GroupKeyValues> shown;
  for (const std::size_t index : kept.value) shown.push_back(*keys[index]);
  return shown;
}

// Engine steps to noise steps: nearest on a coarser grid, exact on a finer one.
int128 to_grid(int128 steps, const Grid& grid) {
  if (grid.exponent() <= 0) return steps << -grid.exponent();
  const int128 half = int128{1} << (grid.exponent() - 1);
  return (steps + half) >> grid.exponent();
}

// The confidence each of several noisy numbers needs so that all hold together.
double for_each_of(std::size_t parts, double confidence) {
  return 1 - (1 - confidence) / static_cast<double>(parts);
}

Result<NoisyMeasure> noisy(const Measure& measure, const std::vector<int128>& totals,
                           double confidence, Permit& permit, SecureStream& stream) {
  if (!measure.noise) return not_priced();
  const AdditiveNoise& noise = *measure.noise;
  std::vector<int128> steps;
  steps.reserve(totals.size());
  for (const int128 total : totals) steps.push_back(to_grid(total, measure.grid));
  TACIT_ASSIGN_OR_RETURN(Permit part, permit.take(noise.cost()));
  TACIT_ASSIGN_OR_RETURN(const auto released, noise.release(steps, std::move(part), stream));
  TACIT_ASSIGN_OR_RETURN(const std::int64_t half_width, noise.half_width(confidence));
  NoisyMeasure out;
  const double step = measure.step.approximate();
  for (const int128 value : released.value) {
    out.values.push_back(measure.grid.to_real(value) * step);
    out.whole.push_back(measure.grid.to_whole(value));
  }
  out.half_width = measure.grid.to_real_above(half_width) * step;
  // Averages and variances stand on two or three numbers at once.
  TACIT_ASSIGN_OR_RETURN(const std::int64_t wider, noise.half_width(for_each_of(3, confidence)));
  out.joint_half_width = measure.grid.to_real_above(wider) * step;
  return out;
}

Result<NoisyQuantiles> noisy_quantiles(const AggregationPlan& plan, const ExactGroups& exact,
                                       const std::vector<GroupKeyValues>& shown, Permit& permit,
                                       SecureStream& stream) {
  NoisyQuantiles out;
  for (std::size_t j = 0; j < plan.quantiles.size(); ++j) {
    std::vector<std::vector<GridCount>> counts(shown.size());
    for (std::size_t row = 0; row < shown.size(); ++row) {
      const auto found = exact.find(shown[row]);
      if (found != exact.end() && !found->second.counts.empty()) {
        counts[row] = found->second.counts[j];
      }
    }
    const auto& mechanism = plan.quantiles[j].mechanism;
    if (!mechanism) return not_priced();
    TACIT_ASSIGN_OR_RETURN(Permit part, permit.take(mechanism->cost()));
    TACIT_ASSIGN_OR_RETURN(auto answers,
                           mechanism->release_counts(counts, std::move(part), stream));
    out.push_back(std::move(answers));
  }
  return out;
}

}  // namespace

Result<Table> release_groups(const Aggregation& aggregation, const AggregationPlan& plan,
                             double confidence, const ExactGroups& exact, Engine& engine,
                             Permit& permit, SecureStream& stream) {
  TACIT_ASSIGN_OR_RETURN(const auto shown, shown_groups(plan, exact, engine, permit, stream));
  std::vector<NoisyMeasure> measures;
  for (std::size_t j = 0; j < plan.measures.size(); ++j) {
    std::vector<int128> totals;
    for (const GroupKeyValues& key : shown) {
      const auto found = exact.find(key);
      totals.push_back(found == exact.end() ? int128{0} : found->second.totals[j]);
    }
    TACIT_ASSIGN_OR_RETURN(auto one, noisy(plan.measures[j], totals, confidence, permit, stream));
    measures.push_back(std::move(one));
  }
  TACIT_ASSIGN_OR_RETURN(const NoisyQuantiles quantiles,
                         noisy_quantiles(plan, exact, shown, permit, stream));
  return released_table(aggregation, plan, shown, measures, quantiles);
}

Result<ReleasedTable> release_table(const Aggregation& aggregation, const AggregationPlan& plan,
                                    Neighbours neighbours, double confidence, Engine& engine,
                                    Permit&& permit, SecureStream& stream) {
  Permit held = std::move(permit);
  AggregationPlan one = plan;
  if (one.learns()) {
    TACIT_ASSIGN_OR_RETURN(auto learned, learn(aggregation, one, engine, held, stream));
    TACIT_ASSIGN_OR_RETURN(one,
                           settle(aggregation, one, std::move(learned), neighbours, confidence));
  }
  TACIT_ASSIGN_OR_RETURN(const ExactGroups exact,
                         exact_groups(aggregation, one, engine, fresh_secret(stream)));
  TACIT_ASSIGN_OR_RETURN(auto table,
                         release_groups(aggregation, one, confidence, exact, engine, held, stream));
  return ReleasedTable{.table = std::move(table), .learned = std::move(one.learned)};
}

Result<Release> release(const QueryPlan& plan, Engine& engine, Permit&& permit,
                        SecureStream& stream) {
  std::vector<std::optional<Cost>> costs;
  for (const AggregationPlan& one : plan.aggregations) {
    TACIT_ASSIGN_OR_RETURN(Cost cost, cost_of(one));
    costs.emplace_back(std::move(cost));
  }
  TACIT_ASSIGN_OR_RETURN(auto permits, permits_of(plan.composition, costs, std::move(permit)));
  Release out;
  for (std::size_t i = 0; i < plan.aggregations.size(); ++i) {
    std::optional<Permit>& paid = permits[i];
    if (!paid) return world_failed("this release was not paid for", "the query");
    TACIT_ASSIGN_OR_RETURN(
        auto released,
        release_table(plan.query.aggregations[i], plan.aggregations[i], plan.neighbours,
                      plan.options.confidence, engine, *std::move(paid), stream));
    out.tables.push_back(std::move(released.table));
    out.learned.push_back(std::move(released.learned));
  }
  return out;
}

}  // namespace tacit::sql

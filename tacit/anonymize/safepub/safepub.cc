#include "tacit/anonymize/safepub/safepub.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "tacit/mechanisms/exponential/exponential.h"
#include "tacit/random/bernoulli.h"

namespace tacit::anonymize {
namespace {

Result<Node> choose_levels(const SafePubPlan& plan, const CountedRows& rows, Permit& permit,
                           SecureStream& stream, const Progress& progress) {
  if (!plan.search_cost()) return plan.score().node(0);
  TACIT_ASSIGN_OR_RETURN(Permit part, permit.take(*plan.search_cost()));
  TACIT_ASSIGN_OR_RETURN(const auto mechanism,
                         ExponentialMechanism::create(selection_privacy(
                             plan.rule().search, plan.search_cost()->neighbours())));
  const auto scores = plan.score().of(rows.records, rows.hierarchies, progress);
  TACIT_ASSIGN_OR_RETURN(const auto chosen, mechanism.release(scores, std::move(part), stream));
  return plan.score().node(chosen.value);
}

// How many of so many rows are sampled.
std::uint64_t sampled(std::uint64_t rows, const Rational& rate, SecureStream& stream) {
  std::array<bool, 4096> coins{};
  std::uint64_t out = 0;
  while (rows > 0) {
    const auto some = std::span(coins).first(std::min<std::uint64_t>(rows, coins.size()));
    fill_bernoulli(stream, rate, some);
    out += static_cast<std::uint64_t>(std::ranges::count(some, true));
    rows -= some.size();
  }
  return out;
}

}  // namespace

std::uint64_t PrivateTable::rows() const {
  return std::accumulate(classes.begin(), classes.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const Class& each) { return sum + each.rows; });
}

Result<PrivateTable> release(const SafePubPlan& plan, const CountedRows& rows, Permit&& permit,
                             SecureStream& stream, const Progress& progress) {
  PrivateTable out;
  TACIT_ASSIGN_OR_RETURN(out.levels, choose_levels(plan, rows, permit, stream, progress));
  TACIT_ASSIGN_OR_RETURN(Permit rest, permit.take(plan.release_cost()));
  TACIT_RETURN_IF_ERROR(std::move(rest).consume(plan.release_cost()));
  if (rows.records.size() == 0) return out;
  Grouper grouper(rows.records, rows.hierarchies);
  const Classes classes = grouper.coarsen(grouper.finest(), out.levels);
  // A record of each class: all of them have its labels.
  std::vector<std::size_t> members(classes.size());
  for (std::size_t i = 0; i < rows.records.size(); ++i) members[grouper.class_of()[i]] = i;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const std::uint64_t some = sampled(classes.counts[i], plan.thinning().rate, stream);
    if (some < plan.thinning().least) continue;
    const std::uint32_t* const leaves = rows.records.record(members[i]);
    PrivateTable::Class& kept = out.classes.emplace_back(PrivateTable::Class{.rows = some});
    for (std::size_t column = 0; column < out.levels.size(); ++column) {
      const Hierarchy& hierarchy = rows.hierarchies[column];
      const std::size_t level = out.levels[column];
      kept.labels.push_back(hierarchy.label(level, hierarchy.at(level, leaves[column])));
    }
  }
  std::ranges::sort(out.classes, {}, &PrivateTable::Class::labels);
  return out;
}

}  // namespace tacit::anonymize

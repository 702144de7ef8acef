#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tacit/sql/exact_groups_internal.h"

namespace tacit::sql::testing {

inline int128 distance(int128 a, int128 b) { return a < b ? b - a : a - b; }

// How far a unit moved the exact groups, against what the plan claims.
class Movement {
 public:
  Movement(const AggregationPlan& plan, Neighbours neighbours)
      : plan_(plan),
        factor_(neighbours == Neighbours::kReplace ? 2 : 1),
        reached_(plan.measures.size() + plan.quantiles.size() + 1) {}

  // Where the claim does not hold, why; empty where it does.
  std::string compare(const ExactGroups& one, const ExactGroups& other) {
    std::set<GroupKeyValues, KeyOrder> keys;
    for (const auto& [key, group] : one) keys.insert(key);
    for (const auto& [key, group] : other) keys.insert(key);
    for (std::size_t j = 0; j < plan_.measures.size(); ++j) {
      const Measure& measure = plan_.measures[j];
      const int128 most = std::max(-measure.lower, measure.upper);
      const auto why = check(j, keys, most * factor_, [&](const GroupKeyValues& key) {
        return distance(total(one, key, j), total(other, key, j));
      });
      if (!why.empty()) return fmt::format("measure {}: {}", j, why);
    }
    for (std::size_t j = 0; j < plan_.quantiles.size(); ++j) {
      const auto why = check(plan_.measures.size() + j, keys, int128{plan_.rows} * factor_,
                             [&](const GroupKeyValues& key) {
                               return moved_values(counts(one, key, j), counts(other, key, j));
                             });
      if (!why.empty()) return fmt::format("quantile {}: {}", j, why);
    }
    if (plan_.public_keys) return {};
    const auto why = check(
        reached_.size() - 1, keys, int128{1} * factor_,
        [&](const GroupKeyValues& key) { return distance(units(one, key), units(other, key)); });
    return why.empty() ? why : "units: " + why;
  }

  // Each measure moved, for some unit, exactly as far as the plan claims.
  [[nodiscard]] const std::vector<bool>& reached() const { return reached_; }

 private:
  template <class Change>
  std::string check(std::size_t what, const std::set<GroupKeyValues, KeyOrder>& keys, int128 most,
                    Change change) {
    std::uint64_t groups = 0;
    int128 sum = 0;
    for (const GroupKeyValues& key : keys) {
      const int128 moved = change(key);
      if (moved > most) {
        return fmt::format("a group moved by {} where {} was claimed",
                           static_cast<long long>(moved), static_cast<long long>(most));
      }
      groups += moved != 0 ? 1 : 0;
      sum += moved;
    }
    if (groups > plan_.groups * factor_) {
      return fmt::format("{} groups moved where {} were claimed", groups, plan_.groups * factor_);
    }
    // Replacing is removing and adding: twice the groups, or one group twice as far, never both.
    if (sum > most * int128{plan_.groups}) return "all groups together moved too far";
    if (sum == most * int128{plan_.groups}) reached_[what] = true;
    return {};
  }

  static int128 total(const ExactGroups& groups, const GroupKeyValues& key, std::size_t j) {
    const auto found = groups.find(key);
    return found == groups.end() || found->second.totals.empty() ? 0 : found->second.totals[j];
  }
  static int128 units(const ExactGroups& groups, const GroupKeyValues& key) {
    const auto found = groups.find(key);
    return found == groups.end() ? 0 : int128{found->second.units};
  }
  static std::map<std::int64_t, int128> counts(const ExactGroups& groups, const GroupKeyValues& key,
                                               std::size_t j) {
    std::map<std::int64_t, int128> out;
    const auto found = groups.find(key);
    if (found == groups.end() || found->second.counts.empty()) return out;
    for (const GridCount& at : found->second.counts[j]) out[at.steps] += at.values;
    return out;
  }
  static int128 moved_values(std::map<std::int64_t, int128> one,
                             const std::map<std::int64_t, int128>& other) {
    for (const auto& [steps, values] : other) one[steps] -= values;
    int128 sum = 0;
    for (const auto& [steps, values] : one) sum += values < 0 ? -values : values;
    return sum;
  }

  const AggregationPlan& plan_;
  std::uint64_t factor_;
  std::vector<bool> reached_;
};

}  // namespace tacit::sql::testing

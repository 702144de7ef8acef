#include "tacit/anonymize/choice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>

#include "tacit/anonymize/best_effort.h"
#include "tacit/anonymize/judge_internal.h"
#include "tacit/anonymize/methods/local_recoding.h"
#include "tacit/anonymize/methods/method.h"
#include "tacit/anonymize/methods/mondrian.h"

namespace tacit::anonymize {
namespace {

Criteria of_rule(const CriterionRule& rule, const Records& records) {
  Criteria out;
  add_criterion(rule, records, out);
  out.missing = records.missing;
  return out;
}

Node top_of(const Microdata& data) {
  Node out;
  for (const Hierarchy& hierarchy : data.hierarchies) {
    out.push_back(static_cast<std::uint8_t>(hierarchy.levels() - 1));
  }
  return out;
}

// The table at its coarsest, where a policy that nothing satisfies shows what it lacks.
class Coarsest {
 public:
  Coarsest(const Microdata& data, const Policy& policy)
      : data_(data),
        policy_(policy),
        criteria_(criteria_of(policy, data.records)),
        classes_(classes_of(data)) {}

  [[nodiscard]] Error error() const {
    std::vector<std::string> failing;
    for (const CriterionRule& rule : policy_.criteria) {
      const Criteria alone = of_rule(rule, data_.records);
      const std::uint64_t rows = rows_failing(alone);
      if (rows > criteria_.most_suppressed) {
        failing.push_back(fmt::format("{} in {} of {} rows", name(rule), rows, data_.records.rows));
      } else if (!holds_together(alone)) {
        failing.push_back(fmt::format("{} in the whole", name(rule)));
      }
    }
    return {.kind = ErrorKind::kBadInput,
            .what = fmt::format("no recoding satisfies the policy: even the coarsest breaks {}, "
                                "and {} rows may be suppressed",
                                failing.empty() ? "the criteria together"
                                                : fmt::format("{}", fmt::join(failing, "; ")),
                                criteria_.most_suppressed),
            .where = policy_.file,
            .remedy = remedy()};
  }

 private:
  static Classes classes_of(const Microdata& data) {
    Grouper grouper(data.records, data.hierarchies, !data.sensitive_values.empty());
    return grouper.coarsen(grouper.finest(), top_of(data));
  }

  [[nodiscard]] std::uint64_t rows_failing(const Criteria& criteria) const {
    return Judge(criteria).judge(classes_).suppressed;
  }

  [[nodiscard]] bool holds_together(const Criteria& criteria) const {
    const std::vector<std::uint8_t> all(classes_.size(), 1);
    return std::ranges::all_of(criteria.table,
                               [&](const auto& each) { return each->holds(classes_, all); });
  }

  // The largest k that the coarsest table has, with the rows that may be suppressed.
  [[nodiscard]] std::uint64_t reachable_k() const {
    std::vector<std::uint64_t> sizes = classes_.counts;
    std::ranges::sort(sizes);
    std::uint64_t small = 0;
    for (const std::uint64_t size : sizes) {
      small += size;
      if (small > criteria_.most_suppressed) return size;
    }
    return 1;
  }

  [[nodiscard]] std::string remedy() const {
    std::vector<std::string> ways;
    const auto* const k = std::get_if<rule::KAnonymity>(&policy_.criteria.front());
    if (k != nullptr && reachable_k() < k->k) {
      ways.push_back(fmt::format("k = {}", reachable_k()));
    }
    const double part =
        static_cast<double>(rows_failing(criteria_)) / static_cast<double>(data_.records.rows);
    if (part < 1) ways.push_back(fmt::format("suppression = {:g}", std::ceil(part * 1e4) / 1e4));
    std::vector<std::string> split;
    for (std::size_t i = 0; i < data_.hierarchies.size(); ++i) {
      const Hierarchy& hierarchy = data_.hierarchies[i];
      if (hierarchy.size(hierarchy.levels() - 1) > 1) {
        split.push_back(data_.quasi_identifiers[i].name);
      }
    }
    if (!split.empty()) {
      ways.push_back(
          fmt::format("a last level that joins all values of {}", fmt::join(split, ", ")));
    }
    if (ways.empty()) return "ask for less: the whole table as one class does not satisfy it";
    return fmt::format("this would do: {}", fmt::join(ways, ", or "));
  }

  const Microdata& data_;
  const Policy& policy_;
  Criteria criteria_;
  Classes classes_;
};

// The classes of what is kept.
ReidentificationRisk risk_of(const Microdata& data, const Choice& choice) {
  Grouper grouper(data.records, data.hierarchies);
  const Classes classes = grouper.coarsen(grouper.finest(), choice.recoding.node);
  std::vector<std::uint64_t> sizes(classes.size());
  for (std::size_t i = 0; i < data.records.size(); ++i) {
    if (choice.is_kept[i]) sizes[grouper.class_of()[i]] += data.records.counts[i];
  }
  return reidentification_risk(sizes);
}

}  // namespace

Criteria criteria_of(const Policy& policy, const Records& records) {
  Criteria out;
  for (const CriterionRule& rule : policy.criteria) {
    add_criterion(rule, records, out);
  }
  const mpz_class most =
      (policy.suppression * Rational(static_cast<std::int64_t>(records.rows))).floor();
  out.most_suppressed = most.get_ui();
  out.missing = records.missing;
  return out;
}

namespace {

// Of the weights of generalization and suppression only the ratio counts: the larger becomes 1.
CellWeights cell_weights(const Policy& policy, const Microdata& data) {
  CellWeights out;
  for (const ColumnPolicy& column : data.quasi_identifiers) {
    out.columns.push_back(column.weight.approximate());
  }
  if (!policy.weights) return out;
  const auto& [generalization, suppression] = *policy.weights;
  const Rational& larger = std::max(generalization, suppression);
  out.generalization = (generalization / larger).approximate();
  out.suppression = (suppression / larger).approximate();
  return out;
}

}  // namespace

std::unique_ptr<Measure> measure_of(const Policy& policy, const Microdata& data) {
  const CellWeights weights = cell_weights(policy, data);
  const Records& records = data.records;
  // Who weighs the suppression of cells wants it to count.
  const Suppressed suppressed = policy.weights ? Suppressed::kAsLost : Suppressed::kAsKept;
  switch (policy.measure) {
    case MeasureKind::kLoss:
      return loss_measure(records, data.hierarchies, weights);
    case MeasureKind::kEntropy:
      return entropy_measure(records, data.hierarchies, suppressed, weights);
    case MeasureKind::kPrecision:
      return precision_measure(records, data.hierarchies, weights);
    case MeasureKind::kDiscernibility:
      return discernibility_measure(records, data.hierarchies);
    case MeasureKind::kAverageClass:
      return average_class_measure(records, data.hierarchies);
    case MeasureKind::kDivergence:
      return divergence_measure(records, data.hierarchies);
  }
  std::unreachable();
}

namespace {

// How a search is watched and bounded.
struct Effort {
  const ChoiceWatch& watch;
  std::size_t most_looks = 0;
};

std::vector<bool> kept_records(const Microdata& data, const Criteria& criteria, const Node& node) {
  const Judge judge(criteria);
  Grouper grouper(data.records, data.hierarchies, judge.needs_histograms());
  const Verdict verdict = judge.judge(grouper.coarsen(grouper.finest(), node));
  std::vector<bool> out;
  for (std::size_t i = 0; i < data.records.size(); ++i) {
    out.push_back(verdict.is_kept[grouper.class_of()[i]] != 0);
  }
  return out;
}

// How many recodings there are, or the largest number.
std::size_t nodes_of(std::span<const Hierarchy> hierarchies) {
  std::size_t out = 1;
  for (const Hierarchy& hierarchy : hierarchies) {
    if (hierarchy.levels() > SIZE_MAX / out) return SIZE_MAX;
    out *= hierarchy.levels();
  }
  return out;
}

// In a lattice that is too large for the optimum.
Result<Choice> choose_within(const Microdata& data, const Policy& policy, const Effort& effort) {
  const Criteria criteria = criteria_of(policy, data.records);
  const auto measure = measure_of(policy, data);
  bool was_ended = false;
  BestEffort found = search_within(effort.most_looks, data.records, data.hierarchies, *measure,
                                   criteria, [&](const BestEffort& so_far) {
                                     was_ended = effort.watch &&
                                                 !effort.watch(so_far.looked_at, effort.most_looks);
                                     return !was_ended;
                                   });
  if (!found.best && !was_ended && Judge(criteria).is_monotone()) {
    return std::unexpected(Coarsest(data, policy).error());
  }
  if (!found.best) {
    return world_failed(fmt::format("none of the {} recodings that were looked at satisfies the "
                                    "policy",
                                    found.looked_at),
                        policy.file, "look at more, or give hierarchies fewer levels");
  }
  Choice out{.recoding = *found.best,
             .nodes = nodes_of(data.hierarchies),
             .looked_at = found.looked_at,
             .is_best = found.is_optimal(),
             .at_least = found.at_least};
  out.is_kept = kept_records(data, criteria, out.recoding.node);
  out.risk = risk_of(data, out);
  return out;
}

Result<Choice> choose_recoding(const Microdata& data, const Policy& policy, const Effort& effort) {
  if (is_lattice_too_large(data.hierarchies)) return choose_within(data, policy, effort);
  const Criteria criteria = criteria_of(policy, data.records);
  const auto measure = measure_of(policy, data);
  Search search(data.records, data.hierarchies, *measure, criteria);
  bool was_ended = false;
  auto best = search.optimum([&](const Search& so_far) {
    was_ended = effort.watch && !effort.watch(so_far.looked_at(), so_far.lattice().size());
    return !was_ended;
  });
  if (!best && was_ended) {
    return world_failed("ended before any recoding was found that satisfies the policy",
                        policy.file, "give it more time");
  }
  if (!best) return std::unexpected(Coarsest(data, policy).error());
  Choice out{.recoding = *std::move(best),
             .nodes = search.lattice().size(),
             .looked_at = search.looked_at(),
             .is_best = !was_ended};
  out.is_kept = search.kept_records(out.recoding.node);
  out.risk = risk_of(data, out);
  return out;
}

// Without an axis nothing is cut: the whole table as one class.
Error whole_breaks(const Microdata& data, const Policy& policy) {
  std::vector<std::string> failing;
  for (const CriterionRule& rule : policy.criteria) {
    if (!mondrian(data.records, {}, of_rule(rule, data.records), Cuts::kStrict)) {
      failing.push_back(name(rule));
    }
  }
  return {
      .kind = ErrorKind::kBadInput,
      .what = fmt::format(
          "no classes satisfy the policy: even the whole table as one breaks {}",
          failing.empty() ? "the criteria together" : fmt::format("{}", fmt::join(failing, "; "))),
      .where = policy.file,
      .remedy = fmt::format("ask for less of its {} rows", data.records.rows)};
}

// What becomes of a table in these classes.
Choice choice_of(const Microdata& data, Node start, Partition partition) {
  Choice out{.risk = reidentification_risk(partition.rows)};
  out.recoding = {.node = std::move(start),
                  .score = partition.penalty(),
                  .suppressed = data.records.rows - out.risk.rows};
  out.is_kept.resize(data.records.size());
  for (const Partition::Share& share : partition.shares) out.is_kept[share.record] = true;
  out.partition = std::move(partition);
  return out;
}

Result<Choice> choose_locally(const Microdata& data, const Policy& policy, const Effort& effort) {
  TACIT_ASSIGN_OR_RETURN(Choice best, choose_recoding(data, policy, effort));
  const Criteria criteria = criteria_of(policy, data.records);
  auto partition =
      recode_locally(data.records, data.hierarchies, criteria, best.recoding.node, best.is_kept);
  // The classes of the recoding satisfy the criteria, so that there is one.
  if (!partition) return std::unexpected(Coarsest(data, policy).error());
  Choice out = choice_of(data, std::move(best.recoding.node), *std::move(partition));
  out.nodes = best.nodes;
  out.looked_at = best.looked_at;
  out.is_best = best.is_best;
  out.at_least = best.at_least;
  return out;
}

Result<Choice> choose_classes(const Microdata& data, const Policy& policy,
                              const ChoiceWatch& watch) {
  bool was_ended = false;
  auto partition = partition_by(policy.method, data, criteria_of(policy, data.records),
                                [&](std::uint64_t done, std::uint64_t whole) {
                                  was_ended = watch && !watch(done, whole);
                                  return !was_ended;
                                });
  if (was_ended) {
    return world_failed("ended before every row was in a group", policy.file, "give it more time");
  }
  if (!partition) return std::unexpected(whole_breaks(data, policy));
  return choice_of(data, top_of(data), *std::move(partition));
}

// Whom of a population a class covers is known by the levels of a recoding, and where values are as
// the population has them.
Result<void> check_population(const Microdata& data, const Policy& policy) {
  const bool are_as_they_were = std::ranges::all_of(
      data.quasi_identifiers, [](const ColumnPolicy& column) { return column.change.is_none(); });
  if (are_as_they_were && std::holds_alternative<rule::GlobalRecoding>(policy.method)) return {};
  return bad_input(
      "criteria that speak of a population need a global recoding of values as they were",
      policy.file, "take [method] and changes of quasi-identifiers out of it");
}

}  // namespace

Result<Choice> choose(const Microdata& data, const Policy& policy, const ChoiceWatch& watch,
                      std::size_t most_looks) {
  const Effort effort{.watch = watch, .most_looks = most_looks};
  if (policy.differential) {
    return bad_input("it asks for a differentially private table, which is not searched for",
                     policy.file, "take 'differential' out of [privacy], or publish it as such");
  }
  if (!data.records.population.empty()) TACIT_RETURN_IF_ERROR(check_population(data, policy));
  if (std::holds_alternative<rule::GlobalRecoding>(policy.method)) {
    return choose_recoding(data, policy, effort);
  }
  if (std::holds_alternative<rule::LocalRecoding>(policy.method)) {
    return choose_locally(data, policy, effort);
  }
  return choose_classes(data, policy, watch);
}

}  // namespace tacit::anonymize

#include "tacit/attacks/joint_exposure.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <variant>

#include "tacit/attacks/composition.h"

namespace tacit::attacks {
namespace {

namespace rule = anonymize::rule;

// What the policy asks of a class: so many rows, so many values.
struct Required {
  std::uint64_t rows = 1;
  std::uint64_t values = 2;
};

Required required_of(const anonymize::Policy& policy, const std::string& column) {
  const auto sensitive = policy.of(anonymize::Role::kSensitive);
  const auto at = static_cast<std::size_t>(
      std::ranges::find(sensitive, column, &anonymize::ColumnPolicy::name) - sensitive.begin());
  Required out;
  for (const anonymize::CriterionRule& each : policy.criteria) {
    if (const auto* const k = std::get_if<rule::KAnonymity>(&each)) out.rows = k->k;
    if (anonymize::sensitive_column(each) != at) continue;
    if (const auto* const l = std::get_if<rule::DistinctDiversity>(&each)) {
      out.values = std::max(out.values, l->l);
    } else if (const auto* const entropy = std::get_if<rule::EntropyDiversity>(&each)) {
      out.values = std::max(out.values, static_cast<std::uint64_t>(std::ceil(entropy->l)));
    } else if (const auto* const recursive = std::get_if<rule::RecursiveDiversity>(&each)) {
      out.values = std::max(out.values, recursive->l);
    }
  }
  return out;
}

// The new release with each earlier one, and with all of them.
std::vector<std::vector<const ReleasedTable*>> meetings(const ReleasedTable& release,
                                                        std::span<const ReleasedTable> earlier) {
  std::vector<std::vector<const ReleasedTable*>> out;
  for (const ReleasedTable& each : earlier) out.push_back({&release, &each});
  if (earlier.size() < 2) return out;
  auto& all = out.emplace_back(1, &release);
  for (const ReleasedTable& each : earlier) all.push_back(&each);
  return out;
}

// Of those with one combination of quasi-identifiers.
struct Exposed {
  std::uint64_t checked = 0;
  std::uint64_t by_values = 0;
  std::uint64_t by_rows = 0;
};

class Check {
 public:
  explicit Check(const ReleasedTable& people) : people_(people), exposed_(people.classes.size()) {}

  void meet(const Composition& composition, std::size_t sensitive, const Required& required) {
    for (std::size_t person = 0; person < people_.classes.size(); ++person) {
      const Composition::Candidates candidates = composition.of(person);
      if (!candidates.is_everywhere()) continue;
      Exposed& own = exposed_[person];
      own.checked = people_.classes.counts[person];
      const std::uint64_t present = present_rows(person, sensitive, candidates.together);
      if (present == 0) continue;
      const bool by_values = is_exposed_by_values(candidates, required);
      if (!by_values && is_hidden(composition, candidates, required)) continue;
      std::uint64_t& count = by_values ? own.by_values : own.by_rows;
      count = std::max(count, present);
      out_.classes.insert(candidates.classes[0].begin(), candidates.classes[0].end());
      remember(person, sensitive, composition, candidates);
    }
  }

  [[nodiscard]] JointExposure result() && {
    for (std::size_t i = 0; i < exposed_.size(); ++i) {
      const Exposed& own = exposed_[i];
      out_.checked += own.checked;
      out_.by_values += own.by_values;
      out_.by_rows += std::max(own.by_rows, own.by_values) - own.by_values;
    }
    return std::move(out_);
  }

 private:
  static bool is_exposed_by_values(const Composition::Candidates& candidates,
                                   const Required& required) {
    const std::size_t left = candidates.together.size();
    return left < required.values &&
           std::ranges::all_of(
               candidates.alone, [&](const auto& alone) { return left < alone.size(); });
  }

  // The people whose value is one of those left.
  [[nodiscard]] std::uint64_t present_rows(std::size_t person, std::size_t sensitive,
                                           std::span<const std::uint32_t> left) const {
    const anonymize::Histogram truth = people_.classes.sensitive[sensitive].at(person);
    std::uint64_t out = 0;
    for (std::size_t i = 0; i < truth.values.size(); ++i) {
      if (std::ranges::binary_search(left, truth.values[i])) out += truth.counts[i];
    }
    return out;
  }

  // Among k rows of each release, or all that it leaves by itself.
  static bool is_hidden(const Composition& composition, const Composition::Candidates& candidates,
                        const Required& required) {
    for (std::size_t i = 0; i < candidates.classes.size(); ++i) {
      const auto& classes = candidates.classes[i];
      if (composition.rows_with(i, classes, candidates.together) <
          std::min(required.rows, composition.rows_of(i, classes))) {
        return false;
      }
    }
    return true;
  }

  void remember(std::size_t person, std::size_t sensitive, const Composition& composition,
                const Composition::Candidates& candidates) {
    if (out_.victims.size() == kMostVictims) return;
    const ReleasedTable::Column& column = people_.sensitive[sensitive];
    std::vector<std::string> values;
    for (const std::uint32_t value : candidates.together) {
      values.push_back(value < column.values.size() ? column.values[value].text : "another");
    }
    const std::uint64_t rows = composition.rows_with(0, candidates.classes[0], candidates.together);
    out_.victims.push_back(
        {.who = people_.shown(person),
         .learned = fmt::format("{} {}, {} {}", column.name, fmt::join(values, " or "), rows,
                                rows == 1 ? "row" : "rows")});
  }

  const ReleasedTable& people_;
  std::vector<Exposed> exposed_;  // of each combination of quasi-identifiers
  JointExposure out_;
};

}  // namespace

JointExposure joint_exposure(const ReleasedTable& people,
                             std::span<const anonymize::Hierarchy> hierarchies,
                             const anonymize::Policy& policy, const ReleasedTable& release,
                             std::span<const ReleasedTable> earlier) {
  Check check(people);
  for (const auto& releases : meetings(release, earlier)) {
    for (std::size_t i = 0; i < people.sensitive.size(); ++i) {
      check.meet(Composition(people, i, hierarchies, releases), i,
                 required_of(policy, people.sensitive[i].name));
    }
  }
  return std::move(check).result();
}

}  // namespace tacit::attacks

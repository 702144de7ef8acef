// What each criterion claims of itself, tried on random classes: the search leaves nodes out
// because of these claims.
#include "tacit/anonymize/criteria/criterion.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tacit/anonymize/criteria/alpha_beta.h"
#include "tacit/anonymize/criteria/alpha_k.h"
#include "tacit/anonymize/criteria/beta_likeness.h"
#include "tacit/anonymize/criteria/ck_safety.h"
#include "tacit/anonymize/criteria/delta_disclosure.h"
#include "tacit/anonymize/criteria/k_anonymity.h"
#include "tacit/anonymize/criteria/l_diversity.h"
#include "tacit/anonymize/criteria/t_closeness.h"
#include "tacit/anonymize/testing/one_class.h"
#include "tacit/anonymize/testing/sensitive_rows.h"

namespace tacit::anonymize {
namespace {

using testing::OneClass;
using Counts = std::vector<std::uint64_t>;

constexpr std::size_t kValues = 4;

Counts random_counts(std::uint64_t least) {
  return *rc::gen::container<Counts>(kValues, rc::gen::inRange<std::uint64_t>(least, 7));
}

Counts sum(const Counts& a, const Counts& b) {
  Counts out(kValues);
  for (std::size_t i = 0; i < kValues; ++i) out[i] = a[i] + b[i];
  return out;
}

struct Named {
  std::string name;
  std::unique_ptr<Criterion> criterion;
};

std::vector<Named> all_criteria(const Records& records, const Hierarchy& tree) {
  const double part = *rc::gen::inRange(1, 100) / 100.0;
  const double factor = *rc::gen::inRange(1, 40) / 10.0;
  const auto few = *rc::gen::inRange<std::uint64_t>(1, 5);
  std::vector<Named> out;
  const auto add = [&](std::string name, std::unique_ptr<Criterion> criterion) {
    out.push_back({std::move(name), std::move(criterion)});
  };
  add("k", k_anonymity(2 * few));
  add("distinct", distinct_diversity(0, few));
  add("entropy", entropy_diversity(0, std::max(factor, 1.0)));
  add("recursive", recursive_diversity(0, factor, few));
  add("equal t", equal_closeness(records, 0, part));
  add("ordered t", ordered_closeness(records, 0, part));
  add("hierarchical t", hierarchical_closeness(records, 0, part, tree));
  add("basic beta", basic_likeness(records, 0, factor));
  add("enhanced beta", enhanced_likeness(records, 0, factor));
  add("delta", delta_disclosure(records, 0, factor));
  add("alpha k", alpha_deassociation(records, 0, part));
  add("alpha beta", alpha_beta_privacy(records, 0, part / 2, (1 + part) / 2));
  return out;
}

RC_GTEST_PROP(Criterion, IsWhatItClaimsToBe, ()) {
  const auto tree =
      Hierarchy::create({{"a", "ab", "*"}, {"b", "ab", "*"}, {"c", "cd", "*"}, {"d", "cd", "*"}},
                        "t")
          .value();
  const Records records = testing::sensitive_rows(random_counts(1));
  const Counts a = random_counts(0);
  const Counts b = random_counts(0);
  RC_PRE(a != Counts(kValues) && b != Counts(kValues));
  const Counts both = sum(a, b);
  const OneClass one(a);
  const OneClass other(b);
  const OneClass merged(both);
  for (const Named& each : all_criteria(records, tree)) {
    RC_LOG() << each.name << '\n';
    const Criterion& criterion = *each.criterion;
    const bool holds = criterion.holds(one.view());
    if (holds) RC_ASSERT(one.view().rows >= criterion.least_rows());
    if (holds) RC_ASSERT(!criterion.is_hopeless(one.view()));
    // A part of a hopeless class satisfies nothing.
    if (criterion.is_hopeless(merged.view())) RC_ASSERT(!holds);
    if (criterion.merging() == Merging::kAbsorbs && holds)
      RC_ASSERT(criterion.holds(merged.view()));
    if (criterion.merging() == Merging::kAbsorbs && !holds) {
      RC_ASSERT(criterion.is_hopeless(one.view()));
    }
    if (criterion.merging() == Merging::kCloses && holds && criterion.holds(other.view())) {
      RC_ASSERT(criterion.holds(merged.view()));
    }
    if (criterion.is_size_alone()) RC_ASSERT(holds == (one.view().rows >= criterion.least_rows()));
  }
}

// Martin and others (2007), theorem 14: merging never discloses more.
RC_GTEST_PROP(CkSafety, DisclosesNoMoreWhenClassesAreMerged, ()) {
  std::vector<Counts> classes;
  for (int i = 0; i < 3; ++i) classes.push_back(sum(random_counts(0), {1, 0, 0, 0}));
  const std::vector<Counts> merged{sum(classes[0], classes[1]), classes[2]};
  const auto k = *rc::gen::inRange<std::uint64_t>(0, 4);
  RC_ASSERT(worst_disclosure(merged, k) <= worst_disclosure(classes, k) + 1e-12);
  // Nor is a class alone worse than with others.
  RC_ASSERT(worst_disclosure(std::vector<Counts>{classes[2]}, k) <=
            worst_disclosure(classes, k) + 1e-12);
}

}  // namespace
}  // namespace tacit::anonymize

#include "tacit/anonymize/criteria/t_closeness.h"

#include <gtest/gtest.h>

#include "tacit/anonymize/testing/one_class.h"
#include "tacit/anonymize/testing/sensitive_rows.h"

namespace tacit::anonymize {
namespace {

using testing::OneClass;
using testing::sensitive_rows;

// Whether a class is within t, but not within less.
template <class MakeAt>
void expect_distance(const MakeAt& make, const std::vector<std::uint64_t>& counts, double t) {
  const OneClass one(counts);
  EXPECT_TRUE(make(t)->holds(one.view())) << t;
  EXPECT_FALSE(make(t - 1e-6)->holds(one.view())) << t;
}

TEST(TCloseness, EqualDistanceIsHalfTheSumOfDifferences) {
  const Records records = sensitive_rows({5, 3, 2});
  const auto make = [&](double t) { return equal_closeness(records, 0, t); };
  expect_distance(make, {4, 0, 0}, 0.5);
  expect_distance(make, {0, 0, 4}, 0.8);
  expect_distance(make, {1, 1, 0}, 0.2);
  EXPECT_TRUE(make(0)->holds(OneClass({5, 3, 2}).view()));
  // What is left of the table beside a class' values must come from somewhere.
  EXPECT_TRUE(make(0.49)->is_hopeless(OneClass({4, 0, 0}).view()));
  EXPECT_FALSE(make(0.51)->is_hopeless(OneClass({4, 0, 0}).view()));
}

// The incomes of Li and others (2007), section 5.2: {3k, 4k, 5k} is 0.375 from 3k to 11k, and
// {6k, 8k, 11k} 0.167.
TEST(TCloseness, OrderedDistanceCountsPlaces) {
  const Records records = sensitive_rows({1, 1, 1, 1, 1, 1, 1, 1, 1});
  const auto make = [&](double t) { return ordered_closeness(records, 0, t); };
  expect_distance(make, {1, 1, 1, 0, 0, 0, 0, 0, 0}, 0.375);
  expect_distance(make, {0, 0, 0, 1, 0, 1, 0, 0, 1}, 1. / 6);
  // All to the middle: (4 + 3 + 2 + 1) * 2 / 9 places of 8.
  EXPECT_TRUE(make(0.277)->is_hopeless(OneClass({0, 0, 0, 0, 9, 0, 0, 0, 0}).view()));
  EXPECT_FALSE(make(0.278)->is_hopeless(OneClass({0, 0, 0, 0, 9, 0, 0, 0, 0}).view()));
}

// Two pairs: from a value to its sibling is 1/2, to a cousin 1.
TEST(TCloseness, HierarchicalDistanceGoesOverCommonParents) {
  const auto tree =
      Hierarchy::create({{"a", "ab", "*"}, {"b", "ab", "*"}, {"c", "cd", "*"}, {"d", "cd", "*"}},
                        "disease")
          .value();
  const Records records = sensitive_rows({1, 1, 1, 1});
  const auto make = [&](double t) { return hierarchical_closeness(records, 0, t, tree); };
  expect_distance(make, {4, 0, 0, 0}, 0.25 * 0.5 + 0.5);
  expect_distance(make, {2, 0, 2, 0}, 0.5 * 0.5);
  expect_distance(make, {1, 1, 0, 0}, 0.5);
  EXPECT_TRUE(make(0.62)->is_hopeless(OneClass({4, 0, 0, 0}).view()));
  EXPECT_FALSE(make(0.63)->is_hopeless(OneClass({4, 0, 0, 0}).view()));
  EXPECT_FALSE(make(0)->is_hopeless(OneClass({1, 7, 1, 1}).view()));
}

}  // namespace
}  // namespace tacit::anonymize

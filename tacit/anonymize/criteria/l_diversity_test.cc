#include "tacit/anonymize/criteria/l_diversity.h"

#include <gtest/gtest.h>

#include "tacit/anonymize/testing/one_class.h"

namespace tacit::anonymize {
namespace {

using testing::OneClass;

TEST(LDiversity, DistinctCountsValues) {
  const auto three = distinct_diversity(0, 3);
  EXPECT_TRUE(three->holds(OneClass({1, 0, 9, 1}).view()));
  EXPECT_FALSE(three->holds(OneClass({5, 0, 9}).view()));
  EXPECT_TRUE(three->is_hopeless(OneClass({5, 0, 9}).view()));
  EXPECT_EQ(three->merging(), Merging::kAbsorbs);
}

// The entropy of {2, 1, 1} is 1.5 bits, that of 2 sqrt(2) equally likely values.
TEST(LDiversity, EntropyComparesWithThatOfEqualParts) {
  EXPECT_TRUE(entropy_diversity(0, 3)->holds(OneClass({7, 7, 7}).view()));
  EXPECT_FALSE(entropy_diversity(0, 3)->holds(OneClass({7, 8, 7}).view()));
  EXPECT_TRUE(entropy_diversity(0, 2.828)->holds(OneClass({2, 1, 1}).view()));
  EXPECT_FALSE(entropy_diversity(0, 2.829)->holds(OneClass({2, 1, 1}).view()));
  // Rows of one value can be taken away, so there is hope.
  EXPECT_FALSE(entropy_diversity(0, 3)->is_hopeless(OneClass({7, 8, 7}).view()));
  EXPECT_TRUE(entropy_diversity(0, 2.5)->is_hopeless(OneClass({7, 8}).view()));
}

// r1 < c (r_l + ... + r_m): with l = 3 the two most frequent values are left out on the right.
TEST(LDiversity, RecursiveBoundsTheMostFrequentValue) {
  EXPECT_FALSE(recursive_diversity(0, 2, 3)->holds(OneClass({4, 9, 1, 1}).view()));
  EXPECT_FALSE(recursive_diversity(0, 2, 3)->holds(OneClass({3, 4, 1, 1}).view()));  // 4 < 4
  EXPECT_TRUE(recursive_diversity(0, 2, 3)->holds(OneClass({3, 3, 1, 1}).view()));
  EXPECT_FALSE(recursive_diversity(0, 99, 3)->holds(OneClass({3, 3}).view()));
  EXPECT_TRUE(recursive_diversity(0, 99, 3)->is_hopeless(OneClass({3, 3}).view()));
  // With l = 1 it bounds the share of the most frequent value alone.
  EXPECT_TRUE(recursive_diversity(0, 2, 1)->holds(OneClass({3, 1, 1}).view()));
}

}  // namespace
}  // namespace tacit::anonymize

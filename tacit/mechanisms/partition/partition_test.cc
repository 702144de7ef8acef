#include "tacit/mechanisms/partition/partition.h"

#include <gtest/gtest.h>

#include "tacit/mechanisms/selection/testing/run_mechanism.h"

namespace tacit {
namespace {

using testing::number;
using testing::refusal;

TEST(Partition, RefusesWhatHasNoMeaning) {
  EXPECT_TRUE(check({.epsilon = 1, .delta = number("1e-9")}));
  EXPECT_NE(refusal(check({.epsilon = 0, .delta = number("1e-9")})), "");
  EXPECT_NE(refusal(check({.epsilon = -1, .delta = number("1e-9")})), "");
  EXPECT_NE(refusal(check({.epsilon = 1001, .delta = number("1e-9")})), "");
  EXPECT_NE(refusal(check({.epsilon = 1, .delta = 0})), "");
  EXPECT_NE(refusal(check({.epsilon = 1, .delta = number("-0.1")})), "");
  EXPECT_NE(refusal(check({.epsilon = 1, .delta = number("0.5")})), "");
  EXPECT_NE(refusal(check({.epsilon = 1, .delta = 1, .groups_per_unit = 100})), "");
  EXPECT_NE(refusal(check({.epsilon = 1, .delta = number("1e-9"), .groups_per_unit = 0})), "");
}

TEST(Partition, CostsTwiceUnderReplace) {
  const Cost one = Cost::leaf(cost::Approximate{1, number("1e-6")}).value();
  EXPECT_EQ(under(Neighbours::kAddRemove, one).value(), one);
  EXPECT_EQ(under(Neighbours::kReplace, one).value(), Cost::as_replace(one).value());
}

}  // namespace
}  // namespace tacit

#include "tacit/attacks/subset_sums.h"

#include <gtest/gtest.h>

#include <limits>

namespace tacit::attacks {
namespace {

TEST(SubsetSums, ListsAndSumsMustAgree) {
  EXPECT_TRUE(check({.people = 2, .members = {{0, 1}, {}}, .sums = {1, 0}}));
  EXPECT_FALSE(check({.people = 1, .members = {{1}}, .sums = {1}}));
  EXPECT_FALSE(check({.people = 1, .members = {{0, 0}}, .sums = {1}}));
  EXPECT_FALSE(check({.people = 1, .members = {{0}}, .sums = {}}));
  EXPECT_FALSE(
      check({.people = 1, .members = {{0}}, .sums = {std::numeric_limits<double>::quiet_NaN()}}));
  EXPECT_FALSE(check({}));
}

}  // namespace
}  // namespace tacit::attacks

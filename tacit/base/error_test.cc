#include "tacit/base/error.h"

#include <gtest/gtest.h>

namespace tacit {
namespace {

Result<int> half(int n) {
  if (n % 2 != 0) return bad_input("odd", "n", "give an even number");
  return n / 2;
}

Result<int> quarter(int n) {
  TACIT_ASSIGN_OR_RETURN(const int once, half(n));
  TACIT_RETURN_IF_ERROR(half(once));
  return once / 2;
}

TEST(Error, MessageLeavesOutWhatIsEmpty) {
  EXPECT_EQ((Error{.what = "w"}.message()), "w");
  EXPECT_EQ((Error{.what = "w", .where = "there"}.message()), "there: w");
  EXPECT_EQ((Error{.what = "w", .where = "there", .remedy = "do"}.message()), "there: w\n  do");
}

TEST(Error, KindIsTheExitStatus) {
  EXPECT_EQ(over_budget("x").error().exit_status(), 1);
  EXPECT_EQ(bad_input("x").error().exit_status(), 2);
  EXPECT_EQ(world_failed("x").error().exit_status(), 3);
}

TEST(Error, MacrosReturnTheFirstError) {
  EXPECT_EQ(quarter(8).value(), 2);
  EXPECT_EQ(quarter(6).error().what, "odd");
  EXPECT_EQ(quarter(7).error().where, "n");
}

}  // namespace
}  // namespace tacit

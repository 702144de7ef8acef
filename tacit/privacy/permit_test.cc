#include "tacit/privacy/permit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <type_traits>
#include <utility>

#include "tacit/privacy/testing/permit_for_tests.h"

namespace tacit {
namespace {

using testing::HasSubstr;

static_assert(!std::is_copy_constructible_v<Permit>);
static_assert(!std::is_copy_assignable_v<Permit>);
static_assert(std::is_nothrow_move_constructible_v<Permit>);
static_assert(!std::is_default_constructible_v<Permit>);
static_assert(!std::is_constructible_v<Permit, Cost, std::string>, "only a ledger mints");

Cost pure(std::int64_t epsilon) { return Cost::leaf(cost::Pure{epsilon}).value(); }

TEST(Permit, IsConsumedOnceForExactlyItsCost) {
  Permit permit = PermitForTests::mint(pure(1));
  EXPECT_THAT(std::move(permit).consume(pure(2)).error().what, HasSubstr("another cost"));
  EXPECT_FALSE(permit.spent());  // NOLINT(bugprone-use-after-move): a refusal leaves it whole
  EXPECT_TRUE(std::move(permit).consume(pure(1)));
  EXPECT_TRUE(permit.spent());  // NOLINT(bugprone-use-after-move): what is spent says so
  EXPECT_THAT(std::move(permit).consume(pure(1)).error().what, HasSubstr("spent"));
  EXPECT_THAT(permit.take(pure(1)).error().what, HasSubstr("spent"));
}

TEST(Permit, MovedFromIsSpent) {
  Permit permit = PermitForTests::mint(pure(1));
  Permit other = std::move(permit);
  EXPECT_TRUE(permit.spent());  // NOLINT(bugprone-use-after-move): that is the test
  EXPECT_FALSE(std::move(permit).consume(pure(1)));
  EXPECT_FALSE(other.spent());
  EXPECT_EQ(other.entry(), "test");

  Permit third = PermitForTests::mint(pure(3));
  third = std::move(other);
  EXPECT_TRUE(other.spent());  // NOLINT(bugprone-use-after-move): that is the test
  EXPECT_EQ(third.cost(), pure(1));
  EXPECT_TRUE(std::move(third).consume(pure(1)));
}

TEST(Permit, EachChildIsTakenOnce) {
  const Cost cost = Cost::compose({pure(1), pure(2), pure(1)}).value();
  Permit permit = PermitForTests::mint(cost);
  auto first = permit.take(pure(1));
  auto second = permit.take(pure(1));
  ASSERT_TRUE(first && second);
  EXPECT_THAT(permit.take(pure(1)).error().what, HasSubstr("no such part"));
  EXPECT_FALSE(permit.take(pure(7)));
  EXPECT_TRUE(std::move(*first).consume(pure(1)));
  EXPECT_TRUE(std::move(*second).consume(pure(1)));
  EXPECT_TRUE(permit.take(pure(2)));
  EXPECT_FALSE(permit.take(pure(2)));
}

TEST(Permit, IsNotConsumedWholeAfterAPartWasTaken) {
  const Cost cost = Cost::parallel({pure(1), pure(2)}).value();
  Permit permit = PermitForTests::mint(cost);
  ASSERT_TRUE(permit.take(pure(2)));
  EXPECT_THAT(std::move(permit).consume(cost).error().what, HasSubstr("no longer whole"));
}

TEST(Permit, RepetitionsAreCounted) {
  Permit permit = PermitForTests::mint(Cost::repeat(3, pure(1)).value());
  EXPECT_FALSE(permit.take(pure(2)));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(permit.take(pure(1)));
  EXPECT_FALSE(permit.take(pure(1)));
  EXPECT_FALSE(std::move(permit).consume(Cost::repeat(3, pure(1)).value()));
}

TEST(Permit, ALeafHasNoParts) {
  Permit permit = PermitForTests::mint(pure(1));
  EXPECT_FALSE(permit.take(pure(1)));
  EXPECT_TRUE(std::move(permit).consume(pure(1)));
}

TEST(Permit, TakingFromAMovedPermitKeepsWhatWasTaken) {
  Permit permit = PermitForTests::mint(Cost::compose({pure(1), pure(2)}).value());
  ASSERT_TRUE(permit.take(pure(1)));
  Permit moved = std::move(permit);
  EXPECT_FALSE(moved.take(pure(1)));
  EXPECT_TRUE(moved.take(pure(2)));
}

}  // namespace
}  // namespace tacit

#include <gtest/gtest.h>

#include "tacit/sql/value_set_internal.h"

namespace tacit::sql {
namespace {

Cell whole(int value) { return Cell(int128{value}); }

ValueSet range(Function comparison, int bound) {
  return *ValueSet::range(comparison, whole(bound), kIntegerType);
}

bool disjoint(const ValueSet& a, const ValueSet& b) {
  EXPECT_EQ(a.disjoint_from(b, kIntegerType), b.disjoint_from(a, kIntegerType));
  return a.disjoint_from(b, kIntegerType);
}

TEST(ValueSet, ListsAreDisjointWithoutACommonValue) {
  EXPECT_TRUE(disjoint(ValueSet::of({whole(1), whole(2)}), ValueSet::of({whole(3)})));
  EXPECT_FALSE(disjoint(ValueSet::of({whole(1), whole(2)}), ValueSet::of({whole(2)})));
}

TEST(ValueSet, RangesAreDisjointWhereOneEndsBeforeTheOtherBegins) {
  EXPECT_TRUE(disjoint(range(Function::kLess, 5), range(Function::kGreaterEqual, 5)));
  EXPECT_TRUE(disjoint(range(Function::kLessEqual, 5), range(Function::kGreater, 5)));
  EXPECT_FALSE(disjoint(range(Function::kLessEqual, 5), range(Function::kGreaterEqual, 5)));
  EXPECT_FALSE(disjoint(range(Function::kLess, 5), range(Function::kLess, 1)));
  EXPECT_FALSE(disjoint(range(Function::kGreater, 5), range(Function::kGreater, 9)));
}

TEST(ValueSet, AListMayLieOutsideOfARange) {
  EXPECT_TRUE(disjoint(ValueSet::of({whole(4), whole(5)}), range(Function::kGreater, 5)));
  EXPECT_FALSE(disjoint(ValueSet::of({whole(4), whole(6)}), range(Function::kGreater, 5)));
  EXPECT_FALSE(disjoint(ValueSet::of({whole(5)}), range(Function::kGreaterEqual, 5)));
}

TEST(ValueSet, NullIsInNoComparison) {
  EXPECT_TRUE(disjoint(ValueSet::null(), ValueSet::not_null()));
  EXPECT_TRUE(disjoint(ValueSet::null(), range(Function::kLess, 5)));
  EXPECT_TRUE(disjoint(ValueSet::null(), ValueSet::of({whole(1)})));
  EXPECT_FALSE(disjoint(ValueSet::null(), ValueSet::null()));
  EXPECT_FALSE(disjoint(ValueSet::not_null(), ValueSet::not_null()));
}

TEST(ValueSet, HasRangesOfNumbersAndDatesAlone) {
  EXPECT_FALSE(ValueSet::range(Function::kLess, Cell(std::string("a")), kTextType));
  EXPECT_FALSE(ValueSet::range(Function::kLess, Cell(true), kBooleanType));
  EXPECT_FALSE(ValueSet::range(Function::kNotEqual, whole(1), kIntegerType));
  EXPECT_TRUE(ValueSet::range(Function::kLess, whole(1), kDateType));
  const ValueSet texts = ValueSet::of({Cell(std::string("a"))});
  EXPECT_FALSE(texts.disjoint_from(range(Function::kLess, 5), kTextType)) << "nothing is known";
}

}  // namespace
}  // namespace tacit::sql

#include "tacit/mechanisms/quantile/group_quantiles.h"

#include <gtest/gtest.h>

#include "tacit/privacy/pure.h"
#include "tacit/privacy/testing/permit_for_tests.h"

namespace tacit {
namespace {

Clamp hundred() { return *Clamp::create(0, 100, Grid()); }

TEST(GroupQuantiles, CostsAsManyTimesAsGroupsCanDiffer) {
  const auto median = *Rational::ratio(1, 2);
  const QuantileOptions plain{.confidence = std::nullopt};
  const auto one = Quantile::create({median}, hundred(), *Rational::ratio(1, 3), plain);
  const auto groups = GroupQuantiles::create({median}, hundred(), 1, 3, plain);
  ASSERT_TRUE(one && groups);
  EXPECT_EQ(groups->cost(), *Cost::repeat(3, one->cost()));

  const QuantileOptions replace{.contribution = {.neighbours = Neighbours::kReplace},
                                .confidence = std::nullopt};
  const auto sixth = Quantile::create({median}, hundred(), *Rational::ratio(1, 6), replace);
  const auto replaced = GroupQuantiles::create({median}, hundred(), 1, 3, replace);
  ASSERT_TRUE(sixth && replaced);
  EXPECT_EQ(replaced->cost(), *Cost::repeat(6, sixth->cost()));
}

TEST(GroupQuantiles, StatesABareCostThatIsTheSameForAllNumbersOfGroups) {
  const std::vector<Rational> shares{*Rational::ratio(1, 2), *Rational::ratio(1, 4)};
  for (const Neighbours neighbours : {Neighbours::kAddRemove, Neighbours::kReplace}) {
    const QuantileOptions options{.contribution = {.neighbours = neighbours}};
    for (const std::uint64_t groups : {1U, 3U, 1000U}) {
      const auto made =
          GroupQuantiles::create(shares, hundred(), *Rational::ratio(1, 3), groups, options);
      ASSERT_TRUE(made);
      const auto bare = made->with_bare_cost();
      ASSERT_TRUE(bare);
      EXPECT_EQ(bare->cost(), *Cost::leaf(cost::Pure{*Rational::ratio(2, 3)}, neighbours));
      EXPECT_EQ(pure_epsilon(made->cost()), *Rational::ratio(2, 3)) << "no more than it states";
      auto stream = *SecureStream::create();
      const std::vector<std::vector<GridCount>> values{{{10, 5}}};
      EXPECT_TRUE(bare->release_counts(values, PermitForTests::mint(bare->cost()), stream));
    }
  }
}

TEST(GroupQuantiles, AnswersEachGroupFromItsOwnValues) {
  const auto median = *Rational::ratio(1, 2);
  const auto quantiles = *GroupQuantiles::create({median}, hundred(), 1000, 1);
  const std::vector<std::vector<GridCount>> groups{{{10, 500}}, {{90, 500}}, {}};
  auto stream = *SecureStream::create();
  const auto answers =
      quantiles.release_counts(groups, PermitForTests::mint(quantiles.cost()), stream);
  ASSERT_TRUE(answers);
  ASSERT_EQ(answers->size(), 3U);
  // At such an epsilon another point has probability below 1e-100.
  EXPECT_EQ((*answers)[0][0].value, 10);
  EXPECT_EQ((*answers)[1][0].value, 90);
  EXPECT_GE((*answers)[2][0].value, 0);
  EXPECT_LE((*answers)[2][0].value, 100);
}

TEST(GroupQuantiles, RefusesAnotherPermitAndNoGroups) {
  const auto median = *Rational::ratio(1, 2);
  const auto quantiles = *GroupQuantiles::create({median}, hundred(), 1, 2);
  auto stream = *SecureStream::create();
  const auto other = *Cost::leaf(cost::Exponential{1});
  EXPECT_FALSE(quantiles.release_counts({}, PermitForTests::mint(other), stream));
  EXPECT_FALSE(GroupQuantiles::create({median}, hundred(), 1, 0));
}

}  // namespace
}  // namespace tacit

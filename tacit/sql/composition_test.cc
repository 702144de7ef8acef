#include "tacit/sql/composition.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "tacit/privacy/pure.h"
#include "tacit/privacy/testing/permit_for_tests.h"

namespace tacit::sql {
namespace {

using Pairs = std::set<std::pair<std::size_t, std::size_t>>;

std::string text(const Composition& tree) {
  if (tree.kind == Composition::Kind::kRelease) return std::to_string(tree.release);
  std::string out;
  for (const Composition& part : tree.parts) {
    if (!out.empty()) out += tree.kind == Composition::Kind::kSequence ? "+" : "|";
    out += text(part);
  }
  return "(" + out + ")";
}

Composition tree(std::size_t releases, const Pairs& apart,
                 Neighbours neighbours = Neighbours::kAddRemove) {
  return compose([&](std::size_t a,
                     std::size_t b) { return apart.contains({a, b}) || apart.contains({b, a}); },
                 std::vector<Rational>(releases, Rational(1)), neighbours);
}

TEST(Composition, PutsReleasesSideBySideThatShareNoUnit) {
  EXPECT_EQ(text(tree(1, {})), "0");
  EXPECT_EQ(text(tree(3, {})), "(0+1+2)");
  EXPECT_EQ(text(tree(3, {{0, 1}, {0, 2}, {1, 2}})), "(0|1|2)");
  // 0 shares units with both of the others.
  EXPECT_EQ(text(tree(3, {{1, 2}})), "(0+(1|2))");
  EXPECT_EQ(text(tree(4, {{0, 2}, {0, 3}, {1, 2}, {1, 3}})), "((0+1)|(2+3))");
}

TEST(Composition, ComposesInSequenceWhatNoTreeDescribes) {
  // A path 0 - 1 - 2 - 3 of releases that share units.
  EXPECT_EQ(text(tree(4, {{0, 2}, {0, 3}, {1, 3}})), "(0+1+2+3)");
}

TEST(Composition, UnderReplaceTwoPartsAreNoBetterThanASequence) {
  EXPECT_EQ(text(tree(2, {{0, 1}}, Neighbours::kReplace)), "(0+1)");
  EXPECT_EQ(text(tree(3, {{0, 1}, {0, 2}, {1, 2}}, Neighbours::kReplace)), "(0|1|2)");
}

TEST(Composition, GivesEveryPartOfAParallelTheWholeBudget) {
  const Composition all = tree(3, {{1, 2}});
  const auto shares = divide(all, {Rational(1), Rational(3), Rational(4)}, Currency::kEpsilon,
                             Neighbours::kAddRemove);
  // The pair wants the root of 3^2 + 4^2.
  EXPECT_EQ(shares[0], *Rational::ratio(1, 6));
  EXPECT_EQ(shares[1], *Rational::ratio(5, 6));
  EXPECT_EQ(shares[2], *Rational::ratio(5, 6));
}

TEST(Composition, DividesForTheLeastError) {
  // Errors c / e with c = d^2: no other split of 1 does better.
  const std::vector<Rational> demands{Rational(1), Rational(4)};
  const auto shares = divide(tree(2, {}), demands, Currency::kEpsilon, Neighbours::kAddRemove);
  const auto error = [](double share) { return 1 / share + 16 / (1 - share); };
  const double least = error(shares[0].approximate());
  EXPECT_DOUBLE_EQ(least, 25);
  EXPECT_DOUBLE_EQ(error(0.5), 34);
  for (double share = 0.01; share < 1; share += 0.01) EXPECT_LE(least, error(share) + 1e-9);
}

TEST(Composition, DividesRhoForTheLeastError) {
  // Errors c / sqrt(r) with c = d^(3/2).
  const auto shares =
      divide(tree(2, {}), {Rational(1), Rational(4)}, Currency::kRho, Neighbours::kAddRemove);
  const auto error = [](double share) { return 1 / std::sqrt(share) + 8 / std::sqrt(1 - share); };
  const double least = error(shares[0].approximate());
  for (double share = 0.01; share < 1; share += 0.01) EXPECT_LE(least, error(share) + 1e-9);
}

std::vector<std::optional<Cost>> pure_costs(const std::vector<Rational>& epsilons,
                                            Neighbours neighbours) {
  std::vector<std::optional<Cost>> out;
  for (const Rational& epsilon : epsilons) {
    out.emplace_back(*Cost::leaf(cost::Pure{epsilon}, neighbours));
  }
  return out;
}

TEST(Composition, NoSetOfReleasesThatShareAUnitGetsMoreThanTheWhole) {
  for (const Neighbours neighbours : {Neighbours::kAddRemove, Neighbours::kReplace}) {
    for (const Pairs& apart :
         {Pairs{}, Pairs{{0, 1}}, Pairs{{0, 1}, {2, 3}}, Pairs{{0, 1}, {0, 2}, {1, 2}},
          Pairs{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}}) {
      const Composition all = tree(4, apart, neighbours);
      const auto shares = divide(all, {Rational(1), Rational(2), Rational(3), Rational(5)},
                                 Currency::kEpsilon, neighbours);
      const Cost cost = *cost_of(all, pure_costs(shares, neighbours), neighbours);
      EXPECT_LE(*pure_epsilon(cost), Rational(1)) << text(all);
      EXPECT_GE(*pure_epsilon(cost), *Rational::ratio(999, 1000)) << text(all);
    }
  }
}

TEST(Composition, CostsNothingForWhatIsNotReleased) {
  const Composition all = tree(3, {{1, 2}});
  auto costs = pure_costs({Rational(1), Rational(2), Rational(3)}, Neighbours::kAddRemove);
  EXPECT_EQ(*pure_epsilon(*cost_of(all, costs, Neighbours::kAddRemove)), Rational(4));
  costs[2].reset();
  EXPECT_EQ(*pure_epsilon(*cost_of(all, costs, Neighbours::kAddRemove)), Rational(3));
  costs[0].reset();
  EXPECT_EQ(*cost_of(all, costs, Neighbours::kAddRemove), *costs[1]);
}

TEST(Composition, HandsOutAPermitForEachRelease) {
  const Composition all = tree(4, {{1, 2}});
  auto costs =
      pure_costs({Rational(1), Rational(2), Rational(2), Rational(3)}, Neighbours::kAddRemove);
  costs[3].reset();
  const Cost cost = *cost_of(all, costs, Neighbours::kAddRemove);
  auto permits = permits_of(all, costs, PermitForTests::mint(cost));
  ASSERT_TRUE(permits) << permits.error().message();
  for (std::size_t i = 0; i < 3; ++i) {
    ASSERT_TRUE((*permits)[i]);
    EXPECT_TRUE(std::move(*(*permits)[i]).consume(*costs[i]));
  }
  EXPECT_FALSE((*permits)[3]);
}

}  // namespace
}  // namespace tacit::sql

#include <gtest/gtest.h>

#include "tacit/privacy/cost.h"
#include "tacit/privacy/testing/costs.h"

namespace tacit {
namespace {

using testing_costs::leaf;
using testing_costs::number;

TEST(CostText, SaysWhatRanAndHowOften) {
  const Cost gaussian = leaf(cost::Gaussian{number("1.5")});
  const Cost step = Cost::poisson_sample(number("0.04"), gaussian).value();
  EXPECT_EQ(Cost::repeat(2250, step).value().to_text(),
            "2250 × (Poisson sample of 4% of Gaussian noise, multiplier 1.5)");
  EXPECT_EQ(leaf(cost::RandomizedResponse{2, number("0.75")}, Neighbours::kReplace).to_text(),
            "randomized response on 2 categories, truth told 75% of the time");
  EXPECT_EQ(leaf(cost::DiscreteGaussian{9, 4, 3}).to_text(),
            "discrete Gaussian noise, variance 9, squared sensitivity 4, 3 coordinates");
  EXPECT_EQ(leaf(cost::NoneProved{"k-anonymous"}).to_text(), "no guarantee proved (k-anonymous)");
  EXPECT_EQ(Cost::nothing().to_text(), "nothing");
}

TEST(CostText, EqualNeighboursAreCounted) {
  const Cost pure = leaf(cost::Pure{number("1/3")});
  const Cost gaussian = leaf(cost::Gaussian{2});
  EXPECT_EQ(Cost::compose({pure, pure, gaussian}).value().to_text(),
            "2 × (a guarantee of epsilon about 0.333333), then Gaussian noise, multiplier 2");
  EXPECT_EQ(Cost::parallel({gaussian, pure}).value().to_text(),
            "on disjoint parts [Gaussian noise, multiplier 2 | a guarantee of epsilon about "
            "0.333333]");
}

// A list ends where its bracket does; one part needs none.
TEST(CostText, ListsInsideOfANodeAreBracketed) {
  const Cost pure = leaf(cost::Pure{1});
  const Cost list = Cost::compose({pure, leaf(cost::Gaussian{2})}).value();
  EXPECT_EQ(Cost::group(3, list).value().to_text(),
            "for a group of 3: (a guarantee of epsilon 1, then Gaussian noise, multiplier 2)");
  EXPECT_EQ(Cost::as_replace(pure).value().to_text(),
            "read for replace neighbours: a guarantee of epsilon 1");
}

TEST(CostText, GuaranteesSayTheirDeltaAndTheirOrders) {
  EXPECT_EQ(leaf(cost::Zcdp{number("0.5"), 0}).to_text(),
            "a guarantee of zero-concentrated rho 0.5");
  EXPECT_EQ(leaf(cost::Zcdp{number("0.5"), number("1e-6")}).to_text(),
            "a guarantee of zero-concentrated rho 0.5 but for delta 1e-06");
  EXPECT_EQ(leaf(cost::Renyi{{{2, 1}}}).to_text(), "a Rényi guarantee of 1 at order 2");
  EXPECT_EQ(leaf(cost::Renyi{{{2, 1}, {number("4.5"), 2}}}).to_text(),
            "a Rényi guarantee at 2 orders from 2 to 4.5");
}

}  // namespace
}  // namespace tacit

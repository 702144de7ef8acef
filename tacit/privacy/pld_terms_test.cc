#include "tacit/privacy/pld_terms_internal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tacit/privacy/testing/costs.h"
#include "tacit/privacy/testing/pair_curve.h"

namespace tacit::pld {
namespace {

using testing::HasSubstr;
using testing_costs::leaf;
using testing_costs::number;

Composed only(const Cost& cost, Direction direction = Direction::kRemove) {
  auto all = composed_terms(cost, direction).value();
  EXPECT_EQ(all.size(), 1U);
  return all.front();
}
std::string refusal(const Cost& cost) {
  const auto terms = composed_terms(cost, Direction::kRemove);
  return terms ? "granted" : terms.error().what;
}

TEST(PldTerms, EqualEventsAreCountedOnce) {
  const Cost laplace = leaf(cost::Laplace{2});
  const Cost list = Cost::compose({laplace, leaf(cost::Pure{1}), laplace}).value();
  const Composed composed = only(Cost::repeat(5, list).value());
  ASSERT_EQ(composed.terms.size(), 2U);
  EXPECT_EQ(composed.terms[0].times, 10U);
  EXPECT_EQ(composed.terms[1].times, 5U);
  EXPECT_TRUE(composed.symmetric);
}

TEST(PldTerms, GaussiansAreOneGaussian) {
  const Cost list =
      Cost::compose({leaf(cost::Gaussian{5}), Cost::repeat(3, leaf(cost::Gaussian{4})).value()})
          .value();
  const Composed composed = only(list);
  ASSERT_EQ(composed.terms.size(), 1U);
  EXPECT_EQ(composed.terms[0].times, 1U);
  const double mu = std::sqrt((1.0 / 25) + (3.0 / 16));
  EXPECT_NEAR(curve(*composed.terms[0].pair, 0.7), curve(*gaussian_pair(1 / mu), 0.7), 1e-13);
  EXPECT_GE(curve(*composed.terms[0].pair, 0.7), curve(*gaussian_pair(1 / mu), 0.7));
}

TEST(PldTerms, GroupsScaleTheNoiseOfEachLeaf) {
  const Composed three = only(Cost::group(3, leaf(cost::Laplace{6})).value());
  EXPECT_DOUBLE_EQ(curve(*three.terms[0].pair, 0.1), curve(*laplace_pair(2), 0.1));
  const Composed response =
      only(Cost::group(2, leaf(cost::RandomizedResponse{2, number("0.75")}, Neighbours::kReplace))
               .value());
  EXPECT_NEAR(curve(*response.terms[0].pair, 1), curve(*approximate_pair(2 * std::log(3.0), 0), 1),
              1e-9);
}

TEST(PldTerms, SamplesHaveTwoDirections) {
  const Cost sample = Cost::poisson_sample(number("0.1"), leaf(cost::Gaussian{1})).value();
  const Composed removed = only(sample, Direction::kRemove);
  const Composed added = only(sample, Direction::kAdd);
  EXPECT_FALSE(removed.symmetric);
  EXPECT_GT(curve(*removed.terms[0].pair, 0.5), curve(*added.terms[0].pair, 0.5));
  EXPECT_TRUE(only(Cost::poisson_sample(1, leaf(cost::Laplace{1})).value()).symmetric);
  EXPECT_TRUE(only(Cost::poisson_sample(0, leaf(cost::Laplace{1})).value()).terms.empty());
}

TEST(PldTerms, DisjointPartsAreCompositionsOfTheirOwn) {
  const Cost first = leaf(cost::Laplace{1});
  const Cost second = leaf(cost::Laplace{2});
  const Cost nested = Cost::parallel({first, Cost::parallel({second, first}).value()}).value();
  EXPECT_EQ(composed_terms(nested, Direction::kRemove)->size(), 3U);
  EXPECT_THAT(refusal(Cost::compose({nested, first}).value()), HasSubstr("different cost"));
  EXPECT_THAT(refusal(Cost::group(2, Cost::parallel({first, first}).value()).value()),
              HasSubstr("two disjoint parts"));
}

TEST(PldTerms, RefusesByName) {
  const Cost replace = leaf(cost::Laplace{1}, Neighbours::kReplace);
  EXPECT_THAT(refusal(leaf(cost::Zcdp{1, 0})), HasSubstr("zCDP"));
  EXPECT_THAT(refusal(leaf(cost::Renyi{{{2, 1}}})), HasSubstr("Rényi"));
  EXPECT_THAT(refusal(leaf(cost::NoneProved{"none"})), HasSubstr("no differential-privacy"));
  EXPECT_THAT(refusal(leaf(cost::DiscreteGaussian{4, 1, 2})), HasSubstr("several coordinates"));
  EXPECT_THAT(refusal(Cost::fixed_size_sample(1, 9, replace).value()), HasSubstr("fixed size"));
  const Cost sample = Cost::poisson_sample(number("0.1"), leaf(cost::Laplace{1})).value();
  EXPECT_THAT(refusal(Cost::as_replace(sample).value()), HasSubstr("of a sample"));
  EXPECT_THAT(refusal(Cost::poisson_sample(number("0.1"), sample).value()), HasSubstr("sample"));
}

}  // namespace
}  // namespace tacit::pld

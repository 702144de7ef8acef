#include "tacit/privacy/cost.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tacit/privacy/testing/costs.h"

namespace tacit {
namespace {

using testing::HasSubstr;
using testing_costs::number;

Cost gaussian(std::string_view multiplier, Neighbours neighbours = Neighbours::kAddRemove) {
  return Cost::leaf(cost::Gaussian{number(multiplier)}, neighbours).value();
}

void expect_refused(const Result<Cost>& cost, std::string_view where, std::string_view what) {
  ASSERT_FALSE(cost.has_value()) << where;
  EXPECT_EQ(cost.error().kind, ErrorKind::kBadInput);
  EXPECT_EQ(cost.error().where, where);
  EXPECT_THAT(cost.error().what, HasSubstr(what));
  EXPECT_FALSE(cost.error().remedy.empty()) << where;
}

TEST(Cost, LeavesRefuseParametersWithoutMeaning) {
  expect_refused(Cost::leaf(cost::Pure{number("-0.1")}), "pure.epsilon", "at least 0");
  expect_refused(Cost::leaf(cost::Approximate{1, 1}), "approximate.delta", "below 1");
  expect_refused(Cost::leaf(cost::Approximate{1, number("-1e-9")}), "approximate.delta", "0");
  expect_refused(Cost::leaf(cost::Zcdp{number("-1"), 0}), "zcdp.rho", "at least 0");
  expect_refused(Cost::leaf(cost::Gaussian{0}), "gaussian.noise_multiplier", "above 0");
  expect_refused(Cost::leaf(cost::Laplace{number("-1")}), "laplace.noise_multiplier", "above 0");
  expect_refused(Cost::leaf(cost::DiscreteLaplace{0, 1}), "discrete_laplace.scale", "above 0");
  expect_refused(Cost::leaf(cost::DiscreteLaplace{1, 0}), "discrete_laplace.sensitivity", "1");
  expect_refused(Cost::leaf(cost::DiscreteGaussian{1, 0, 1}),
                 "discrete_gaussian.squared_sensitivity", "1");
  expect_refused(Cost::leaf(cost::DiscreteGaussian{1, 1, 0}), "discrete_gaussian.coordinates", "1");
  expect_refused(Cost::leaf(cost::Renyi{}), "renyi.curve", "at least one");
  expect_refused(Cost::leaf(cost::Renyi{{{1, 1}}}), "renyi.curve", "above 1");
  expect_refused(Cost::leaf(cost::Renyi{{{3, 1}, {2, 1}}}), "renyi.curve", "ascending");
  expect_refused(Cost::leaf(cost::Renyi{{{2, number("-1")}}}), "renyi.curve", "order 2");
  expect_refused(Cost::leaf(cost::NoneProved{""}), "none_proved.reason", "empty");
  expect_refused(Cost::leaf(cost::NoneProved{"\x1b[2J"}), "none_proved.reason", "control");
  expect_refused(Cost::leaf(cost::NoneProved{"\xc3"}), "none_proved.reason", "UTF-8");
  expect_refused(Cost::leaf(cost::NoneProved{std::string(2000, 'a')}), "none_proved.reason",
                 "longer");
  expect_refused(Cost::leaf(cost::Pure{Rational::power_of_two(5000)}), "pure.epsilon", "digits");
}

TEST(Cost, RandomizedResponseTellsTheTruthMoreOftenThanChance) {
  const auto response = [](std::uint64_t categories, std::string_view truth) {
    return Cost::leaf(cost::RandomizedResponse{categories, number(truth)}, Neighbours::kReplace);
  };
  EXPECT_TRUE(response(2, "0.75"));
  EXPECT_TRUE(response(4, "1/4"));
  expect_refused(response(4, "0.24"), "randomized_response.truth", "1 / categories");
  expect_refused(response(2, "1"), "randomized_response.truth", "below 1");
  expect_refused(response(1, "0.5"), "randomized_response.truth", "1 / categories");
  expect_refused(Cost::leaf(cost::RandomizedResponse{2, number("0.75")}), "randomized_response",
                 "replace neighbours only");
}

TEST(Cost, NodesWithPartsAreNoLeaves) {
  expect_refused(Cost::leaf(cost::Compose{}), "compose", "not a leaf");
  expect_refused(Cost::leaf(cost::Group{2, nullptr}), "group", "not a leaf");
}

TEST(Cost, CompositionsRefuseMixedNeighbours) {
  const std::vector<Cost> mixed{gaussian("1"), gaussian("1", Neighbours::kReplace)};
  expect_refused(Cost::compose(mixed), "compose", "different neighbours");
  expect_refused(Cost::parallel(mixed), "parallel", "different neighbours");
  expect_refused(Cost::parallel({}), "parallel", "no parts");
}

TEST(Cost, EachSamplingHasItsRelation) {
  const Cost add_remove = gaussian("1");
  const Cost replace = gaussian("1", Neighbours::kReplace);
  EXPECT_TRUE(Cost::poisson_sample(number("0.01"), add_remove));
  expect_refused(Cost::poisson_sample(number("0.01"), replace), "poisson_sample", "add/remove");
  expect_refused(Cost::poisson_sample(number("1.01"), add_remove), "poisson_sample.rate", "1");
  EXPECT_TRUE(Cost::fixed_size_sample(3, 9, replace));
  expect_refused(Cost::fixed_size_sample(3, 9, add_remove), "fixed_size_sample", "replace");
  expect_refused(Cost::fixed_size_sample(10, 9, replace), "fixed_size_sample.size", "10 of 9");
  expect_refused(Cost::fixed_size_sample(0, 9, replace), "fixed_size_sample.size", "1");
  expect_refused(Cost::repeat(0, replace), "repeat.times", "1");
  expect_refused(Cost::group(0, replace), "group.size", "1");
}

TEST(Cost, ReadForReplaceOnceAndNeverBack) {
  const Cost read = Cost::as_replace(gaussian("1")).value();
  EXPECT_EQ(read.neighbours(), Neighbours::kReplace);
  expect_refused(Cost::as_replace(read), "as_replace", "already");
}

TEST(Cost, TreesAreBoundedInDepthAndWeight) {
  Cost deep = gaussian("1");
  for (std::uint32_t depth = 1; depth < Cost::kMaxDepth; ++depth) {
    deep = Cost::repeat(2, deep).value();
  }
  expect_refused(Cost::repeat(2, deep), "repeat", "deep");

  Cost wide = gaussian("1");
  Result<Cost> wider = wide;
  for (int doubling = 0; doubling < 20 && wider; ++doubling) {
    wide = *wider;
    wider = Cost::compose({wide, wide});
  }
  expect_refused(wider, "compose", "too many parts");
}

TEST(Cost, EqualityIsStructural) {
  const Cost a = Cost::repeat(3, gaussian("1.50")).value();
  const Cost b = Cost::repeat(3, gaussian("3/2")).value();
  EXPECT_EQ(a, b);
  EXPECT_NE(a, Cost::repeat(4, gaussian("1.5")).value());
  EXPECT_NE(gaussian("1"), gaussian("1", Neighbours::kReplace));
  EXPECT_NE(Cost::nothing(), Cost::nothing(Neighbours::kReplace));
  EXPECT_NE(Cost::leaf(cost::Pure{1}).value(), Cost::leaf(cost::Exponential{1}).value());
  EXPECT_EQ(Cost::group(2, a).value(), Cost::group(2, b).value());
  EXPECT_EQ(Cost::as_replace(a).value(), Cost::as_replace(b).value());
  EXPECT_EQ(Cost::poisson_sample(number("0.1"), a).value(),
            Cost::poisson_sample(number("1/10"), b).value());
}

TEST(Cost, NoneProvedIsSeenAtAnyDepth) {
  const Cost none = Cost::leaf(cost::NoneProved{"a k-anonymous table"}).value();
  EXPECT_TRUE(none.none_proved());
  EXPECT_TRUE(Cost::repeat(2, Cost::compose({gaussian("1"), none}).value()).value().none_proved());
  EXPECT_FALSE(Cost::compose({gaussian("1")}).value().none_proved());
}

}  // namespace
}  // namespace tacit

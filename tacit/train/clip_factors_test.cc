#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tacit/train/clip_factors_internal.h"

namespace tacit::train {
namespace {

at::Tensor numbers(std::vector<double> values) { return at::tensor(values, at::kDouble); }

constexpr double kHeadroom = 1 - 0x1p-10;

TEST(UpperSquares, OfProductsThatWereMultipliedOutHoldTheirError) {
  const SquaredNorms norms{
      .computed = numbers({9}), .left = numbers({4}), .right = numbers({25}), .rounding = 0.1};
  EXPECT_NEAR(upper_squares({norms}).item<double>(), 4 * 4, 1e-12);  // (3 + 0.1 * 2 * 5)^2
}

TEST(UpperSquares, WithoutComputedOnesAreThoseOfTheOuterProduct) {
  const SquaredNorms norms{.computed = {}, .left = numbers({4}), .right = numbers({25})};
  EXPECT_NEAR(upper_squares({norms}).item<double>(), 100, 1e-12);
}

TEST(UpperSquares, OfInnerProductsHoldTheirErrorAndWhatIsLost) {
  const SquaredNorms norms{.computed = numbers({-1, 7}),
                           .left = numbers({4, 4}),
                           .right = numbers({25, 25}),
                           .rounding = 0.01,
                           .by_inner_products = true,
                           .left_lost = 0.5,
                           .right_lost = 0.25};
  const double lacking = 100 * 0.01 + 4 * 0.25 + 0.5 * 25;
  EXPECT_TRUE(at::allclose(upper_squares({norms})[0], numbers({lacking, 7 + lacking})));
}

TEST(UpperSquares, OfWhatIsNoNumberAreNone) {
  const SquaredNorms norms{.computed = numbers({std::nan("")}),
                           .left = numbers({1}),
                           .right = {},
                           .rounding = 0.01,
                           .by_inner_products = true};
  EXPECT_TRUE(std::isnan(upper_squares({norms}).item<double>()));
}

std::vector<SquaredNorms> two_parameters() {
  return {{.computed = {}, .left = numbers({9, 0, INFINITY}), .right = {}},
          {.computed = {}, .left = numbers({16, 0, 1}), .right = {}}};
}

TEST(ClipFactors, KeepWholeGradientsToTheBound) {
  const ClipFactors clip =
      clip_factors(two_parameters(), {.kind = Clipping::Kind::kFlat, .bound = 2}, 2);
  ASSERT_EQ(clip.factors.size(), 2U);
  const at::Tensor expected = numbers({2 * kHeadroom / 5, 1, 0});
  EXPECT_TRUE(at::allclose(clip.factors[0], expected));
  EXPECT_TRUE(at::equal(clip.factors[0], clip.factors[1]));
  EXPECT_EQ(clip.squares[0].item<double>(), 25);
  EXPECT_TRUE(at::equal(clip.lost, at::tensor({0, 0, 1}).to(at::kBool)));
}

TEST(ClipFactors, KeepEachParameterToItsShare) {
  const ClipFactors clip =
      clip_factors(two_parameters(), {.kind = Clipping::Kind::kPerLayer, .bound = 2}, 2);
  const double share = 2 * kHeadroom / std::sqrt(2);
  EXPECT_TRUE(at::allclose(clip.factors[0], numbers({share / 3, 1, 0})));
  EXPECT_TRUE(at::allclose(clip.factors[1], numbers({share / 4, 1, 0})));
}

TEST(ClipFactors, OfAutomaticClippingScaleSmallGradientsUp) {
  const ClipFactors clip =
      clip_factors(two_parameters(), {.kind = Clipping::Kind::kAutomatic, .bound = 2}, 2);
  EXPECT_TRUE(
      at::allclose(clip.factors[0], numbers({2 * kHeadroom / 5.01, 2 * kHeadroom / 0.01, 0})));
}

TEST(ClipFactors, AreInUnitsOfTheThreshold) {
  const ClipFactors clip =
      clip_factors(two_parameters(), {.kind = Clipping::Kind::kFlat, .bound = 2}, 8);
  // 5 is within a threshold of 8, which counts as 2.
  EXPECT_TRUE(at::allclose(clip.factors[0], numbers({0.25, 0.25, 0})));
}

// A factor that single precision has no digits for is none.
TEST(ClipFactors, OfHugeGradientsAreNothing) {
  const std::vector<SquaredNorms> huge{
      {.computed = {}, .left = numbers({1e59, 1e61, 1e80}), .right = {}}};
  for (const auto kind : {Clipping::Kind::kFlat, Clipping::Kind::kAutomatic}) {
    const at::Tensor factors = clip_factors(huge, {.kind = kind, .bound = 1}, 1).factors[0];
    EXPECT_GT(factors[0].item<double>(), 0x1p-100);
    EXPECT_EQ(factors[1].item<double>(), 0);
    EXPECT_EQ(factors[2].item<double>(), 0);
  }
}

// Activations of 2^60 and gradients of 2^-76: the squares of the latter are lost in single
// precision, and their product is not small.
TEST(SquaredNorms, OfNumbersThatAreTooSmallToSquareAreNotTooSmall) {
  const at::Tensor input = at::full({1, 4}, 0x1p60, at::kFloat);
  const at::Tensor gradient = at::full({1, 4}, 0x1p-76, at::kFloat);
  const ExampleLayout layout{.examples = 1, .rows = 1, .stride = 1};
  const auto use = linear_use(input, gradient, squares_by_example(gradient), layout, false);
  const double truth = 4 * 0x1p-16;
  EXPECT_GE(std::sqrt(upper_squares({use->squared_norms()}).item<double>()), truth);
}

TEST(SquaredNorms, ByInnerProductsOfSuchNumbersAreNotTooSmall) {
  const at::Tensor input = at::full({2, 64}, 0x1p58, at::kFloat);
  const at::Tensor gradient = at::full({2, 64}, 0x1p-76, at::kFloat);
  const ExampleLayout layout{.examples = 1, .rows = 2, .stride = 2};
  const at::Tensor squares = squares_by_example(layout.arrange(gradient));
  const auto use = linear_use(input, gradient, squares, layout, false);
  const double truth = 2 * 64 * 0x1p-18;
  EXPECT_GE(std::sqrt(upper_squares({use->squared_norms()}).item<double>()), truth);
}

}  // namespace
}  // namespace tacit::train

#include "tacit/learn/accelerated_descent.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace tacit::learn {
namespace {

// Of h/2 (w - 3)^2, with the ridge of the descent beside it.
std::vector<double> minimum(const Descent& descent, double h, double noise = 0, unsigned seed = 1) {
  std::mt19937_64 generator(seed);
  std::normal_distribution<double> normal(0, noise > 0 ? noise : 1);
  AcceleratedDescent run(descent, 1);
  while (!run.done()) {
    run.step({h * (run.point()[0] - 3) + (noise > 0 ? normal(generator) : 0)});
  }
  return run.mean();
}

TEST(AcceleratedDescent, FindsTheMinimum) {
  EXPECT_NEAR(minimum({.steps = 400, .curvature = 4}, 2)[0], 3, 1e-3);
  EXPECT_NEAR(minimum({.steps = 400, .curvature = 4, .ridge = 1}, 2)[0], 2, 1e-3);
}

TEST(AcceleratedDescent, MayBeOneStep) {
  EXPECT_DOUBLE_EQ(minimum({.steps = 1, .curvature = 2}, 2)[0], 3);
}

TEST(NoiseGain, IsAtLeastThatOfEveryCurvatureAndReached) {
  const Descent descent{.steps = 50, .curvature = 2, .ridge = 0.01};
  const double bound = noise_gain(descent);
  double largest = 0;
  for (const double h : {0.0, 0.001, 0.01, 0.1, 1.0, 2.0}) {
    const double still = minimum(descent, h)[0];
    double squares = 0;
    constexpr int kRuns = 4000;
    for (int i = 0; i < kRuns; ++i) {
      const double moved = minimum(descent, h, 1, static_cast<unsigned>(i))[0] - still;
      squares += moved * moved;
    }
    const double deviation = std::sqrt(squares / kRuns);
    EXPECT_LT(deviation, bound * 1.08) << h;
    largest = std::max(largest, deviation);
  }
  EXPECT_GT(largest, bound * 0.92);
}

}  // namespace
}  // namespace tacit::learn

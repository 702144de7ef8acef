#include "tacit/train/adaptive_clipping.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tacit::train {
namespace {

// 1 / gradients^2 + 1 / count^2 <= 1 / whole^2, exactly, and hardly less.
TEST(AdaptiveClipping, SplitsTheNoiseWithoutLoss) {
  for (const char* whole : {"0.1", "0.6", "1", "1.1", "7.3", "300"}) {
    for (const int times : {2, 4, 1000}) {
      const Rational z = *Rational::parse(whole);
      const Rational count = z * Rational(times);
      const auto gradients = gradient_noise_beside(z, count);
      ASSERT_TRUE(gradients);
      const Rational sum = Rational(1) / (*gradients * *gradients) + Rational(1) / (count * count);
      EXPECT_LE(sum, Rational(1) / (z * z));
      EXPECT_NEAR((sum * z * z).approximate(), 1, 1e-6);
    }
  }
  EXPECT_FALSE(gradient_noise_beside(1, 1));
  EXPECT_FALSE(gradient_noise_beside(0, 1));
}

TEST(AdaptiveClipping, MovesTheBoundTowardsTheQuantile) {
  const AdaptiveClipping median;
  EXPECT_DOUBLE_EQ(median.moved(2, 0, 100), 2) << "as many within as beyond";
  EXPECT_DOUBLE_EQ(median.moved(2, 100, 100), 2 * std::exp(-0.1)) << "all within";
  EXPECT_DOUBLE_EQ(median.moved(2, -100, 100), 2 * std::exp(0.1));
  EXPECT_DOUBLE_EQ(median.moved(2, 1e9, 100), 2 * std::exp(-0.1)) << "noise alone";
  EXPECT_GT(AdaptiveClipping{.quantile = 0.9}.moved(2, 0, 100), 2);
}

TEST(AdaptiveClipping, KeepsTheBoundWithinWhatWasDeclared) {
  const AdaptiveClipping narrow{.least_bound = 1.95, .most_bound = 2.05};
  EXPECT_DOUBLE_EQ(narrow.moved(2, 100, 100), 1.95);
  EXPECT_DOUBLE_EQ(narrow.moved(2, -100, 100), 2.05);
  EXPECT_EQ(narrow.to_text(7), "quantile 0.5, rate 0.2, count noise 7 between 1.95 and 2.05");
  EXPECT_EQ(AdaptiveClipping{}.to_text(7), "quantile 0.5, rate 0.2, count noise 7");
}

TEST(AdaptiveClipping, ChoosesANoiseForTheCount) {
  EXPECT_EQ(AdaptiveClipping{}.count_noise_for(1, 500), Rational(50));
  EXPECT_EQ(AdaptiveClipping{}.count_noise_for(30, 500), Rational(120));
  EXPECT_EQ(AdaptiveClipping{.count_noise = 7}.count_noise_for(1, 500), Rational(7));
}

TEST(AdaptiveClipping, RefusesWhatHasNoMeaning) {
  EXPECT_TRUE(AdaptiveClipping{}.check());
  EXPECT_FALSE(AdaptiveClipping{.quantile = 1}.check());
  EXPECT_FALSE(AdaptiveClipping{.learning_rate = 0}.check());
  EXPECT_FALSE(AdaptiveClipping{.learning_rate = std::nan("")}.check());
  EXPECT_FALSE(AdaptiveClipping{.least_bound = 0}.check());
  EXPECT_FALSE((AdaptiveClipping{.least_bound = 3, .most_bound = 2}.check()));
  EXPECT_FALSE(AdaptiveClipping{.most_bound = HUGE_VAL}.check());
}

}  // namespace
}  // namespace tacit::train

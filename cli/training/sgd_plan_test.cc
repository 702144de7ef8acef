#include "cli/training/sgd_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "cli/training/accuracy_plan.h"

namespace tacit::training {
namespace {

using ::testing::HasSubstr;

// 1000 examples, 10 steps of 300; the lines are added to their sections.
Config config_with(const std::string& privacy, const std::string& training = "",
                   const std::string& more = "") {
  const std::string text = R"([data]
images = "i"
labels = "l"
classes = 10
examples = 1000
[model]
kind = "logistic"
[output]
model = "model.pt"
[privacy]
epsilon = 2
delta = 1e-5
)" + privacy + R"(
[training]
batch_size = 300
epochs = 3
learning_rate = 0.5
)" + training + "\n" + more;
  auto config = Config::parse(text, "a.toml");
  EXPECT_TRUE(config) << config.error().message();
  return *std::move(config);
}

// All that a configuration can change about privacy keeps to the epsilon that it asks for.
TEST(SgdPlan, KeepsToItsEpsilonWhateverTheSamplerTheSchedulesAndTheBound) {
  for (const std::string privacy :
       {"", "sampler = \"truncated\"", "sampler = \"truncated\"\nlargest_batch = 400",
        "sampler = \"fixed-size\"", "mixed_precision = true",
        "noise_schedule = {shape = \"linear\", last = 0.5}",
        "clip_schedule = {shape = \"exponential\", last = 0.1}", "clipping = \"adaptive\"",
        "clipping = \"per-layer\""}) {
    for (const std::string training :
         {"", "batch_schedule = {steps = [0, 4], factors = [1, 0.5]}"}) {
      const auto plan = sgd_plan(config_with(privacy, training));
      ASSERT_TRUE(plan) << privacy << training << plan.error().message();
      const double epsilon = plan->epsilon(1e-5)->upper;
      EXPECT_LE(epsilon, 2) << privacy << training;
      EXPECT_GT(epsilon, 1.99) << privacy << training;
    }
  }
}

TEST(SgdPlan, EachSamplerHasItsOwnLaw) {
  using Kind = train::Sampling::Kind;
  const auto fixed = *sgd_plan(config_with("sampler = \"fixed-size\""));
  EXPECT_EQ(fixed.sampling.kind, Kind::kFixedSize);
  EXPECT_EQ(fixed.sampling.neighbours(), Neighbours::kReplace);
  EXPECT_EQ(fixed.accountant(), Accountant::kRdp);
  const auto truncated = *sgd_plan(config_with("sampler = \"truncated\""));
  EXPECT_EQ(truncated.sampling.kind, Kind::kTruncated);
  EXPECT_GT(truncated.sampling.largest_batch, 300U);
  EXPECT_LT(truncated.sampling.largest_batch, 500U);
  EXPECT_THAT(truncated.cost()->to_text(), HasSubstr("delta"));
  EXPECT_FALSE(truncated.mixed_precision);
  const auto mixed = *sgd_plan(config_with("mixed_precision = true"));
  EXPECT_TRUE(mixed.mixed_precision);
  EXPECT_EQ(mixed.sampling, truncated.sampling);
}

TEST(SgdPlan, RefusesWhatCannotBe) {
  const auto refusal = [](const std::string& privacy, const std::string& training = "") {
    const auto plan = sgd_plan(config_with(privacy, training));
    EXPECT_FALSE(plan) << privacy << training;
    return plan ? std::string() : plan.error().message();
  };
  EXPECT_THAT(refusal("", "batch_schedule = {shape = \"linear\", last = 4}"), HasSubstr("rate"));
  EXPECT_THAT(refusal("sampler = \"fixed-size\"",
                      "batch_schedule = {steps = [0, 4], factors = [1, 0.501]}"),
              HasSubstr("whole"));
  EXPECT_THAT(refusal("sampler = \"truncated\"\nlargest_batch = 300"), HasSubstr("largest"));
  EXPECT_THAT(refusal("sampler = \"poisson\"\nmixed_precision = true"), HasSubstr("truncated"));
  EXPECT_THAT(refusal("clipping = \"adaptive\"\nquantile = 2"), HasSubstr("quantile"));
}

TEST(TrainingTerms, SayWhatDecidesNothingAboutPrivacy) {
  const Config config =
      config_with("",
                  "optimizer = \"adam\"\nweight_average = 0.99\nlearning_rate_schedule = {steps = "
                  "[0, 5], factors = [1, 0.1]}",
                  "[augmentation]\nflip = true\nviews = 3\n");
  const RunTerms terms = *training_terms(config);
  std::string text;
  for (const auto& [name, value] : terms) text += name + ": " + value + "\n";
  EXPECT_EQ(text,
            "model: logistic\n"
            "optimizer: adam, learning rate 0.5, times 1, from step 5 0.1\n"
            "weights: a moving average with decay 0.99\n"
            "views: 3 views of an image, averaged, mirrored by chance\n"
            "device: cpu\n");
}

TEST(AccuracyPlan, KeepsToItsEpsilonAndSaysHowExactItIs) {
  const std::string test =
      "[test]\nimages = \"i\"\nlabels = \"l\"\nepsilon = 0.2\nexamples = 5000\n";
  const auto plan = *plan_accuracy(config_with("", "", test));
  ASSERT_TRUE(plan);
  EXPECT_LE(plan->epsilon, 0.2);
  EXPECT_GT(plan->epsilon, 0.19);
  // 1.96 standard deviations of z / 5000, halved.
  const double z = plan->means.noise_multiplier.approximate();
  EXPECT_NEAR(plan->half_width(), 1.96 * z / 5000 / 2, 0.02 * plan->half_width());
  EXPECT_FALSE(*plan_accuracy(config_with("")));
  const auto refused = plan_accuracy(config_with("sampler = \"fixed-size\"", "", test));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().what, HasSubstr("replaced"));
}

}  // namespace
}  // namespace tacit::training

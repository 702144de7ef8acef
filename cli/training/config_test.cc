#include "cli/training/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tacit::training {
namespace {

using ::testing::HasSubstr;

constexpr const char* kWhole = R"([data]
table = "people"
label = "income"
examples = 1000
[model]
kind = "mlp"
hidden = [32, 16]
[privacy]
epsilon = 1
delta = 1e-6
[training]
batch_size = 300
epochs = 3
learning_rate = 0.5
[output]
model = "out/model.pt"
)";

Result<Config> parsed(const std::string& text) { return Config::parse(text, "here/a.toml"); }

// kWhole with its first `old` replaced.
std::string changed(const std::string& old, const std::string& fresh) {
  std::string text = kWhole;
  return text.replace(text.find(old), old.size(), fresh);
}

Error refusal(const std::string& text) {
  const auto config = parsed(text);
  EXPECT_FALSE(config) << text;
  return config ? Error{} : config.error();
}

TEST(Config, IsReadWithItsDefaults) {
  const auto config = parsed(kWhole);
  ASSERT_TRUE(config) << config.error().message();
  EXPECT_EQ(std::get<TableSource>(config->data.source).label, "income");
  EXPECT_EQ(config->model.hidden, (std::vector<std::int64_t>{32, 16}));
  EXPECT_EQ(config->model.activation, Activation::kTanh);
  EXPECT_EQ(config->privacy.clip, 1);
  EXPECT_EQ(config->output.model, "here/out/model.pt");
  EXPECT_EQ(config->output.checkpoint, "here/out/model.pt.checkpoint");
  EXPECT_FALSE(config->test);
}

TEST(Config, AnEpochIsAsManyStepsAsDrawTheExamples) {
  EXPECT_EQ(parsed(kWhole)->steps(), 10U);
  EXPECT_EQ(parsed(changed("epochs = 3", "steps = 7"))->steps(), 7U);
}

TEST(Config, RefusalsNameTheLine) {
  EXPECT_EQ(refusal(changed("epochs", "epoch")).where, "here/a.toml:13");
  EXPECT_THAT(refusal(changed("epochs", "epoch")).what, HasSubstr("unknown key 'epoch'"));
  EXPECT_THAT(refusal(changed("epochs", "epoch")).remedy, HasSubstr("is it 'epochs'?"));
  EXPECT_THAT(refusal(changed("[training]", "[trainign]")).remedy, HasSubstr("is it 'training'?"));
  EXPECT_THAT(refusal(changed("[data]", "[data")).what, HasSubstr("not valid TOML"));
}

TEST(Config, SaysOneThingInOneWay) {
  EXPECT_THAT(refusal(changed("epochs = 3", "epochs = 3\nsteps = 4")).what, HasSubstr("one way"));
  EXPECT_THAT(refusal(changed("epsilon = 1", "epsilon = 1\nnoise = 1")).what, HasSubstr("one way"));
  EXPECT_THAT(refusal(changed("table = \"people\"", "folder = \"a\"\ntable = \"b\"")).what,
              HasSubstr("one way"));
  EXPECT_THAT(refusal(changed("table = \"people\"", "images = \"a\"")).what, HasSubstr("one way"));
}

TEST(Config, RefusesWhatTheModelDoesNotRead) {
  EXPECT_THAT(refusal(changed("\"mlp\"", "\"logistic\"")).what, HasSubstr("has no 'hidden'"));
  EXPECT_THAT(refusal(changed("kind = \"mlp\"\nhidden = [32, 16]", "kind = \"resnet\"")).what,
              HasSubstr("reads images"));
  EXPECT_THAT(refusal(changed("hidden = [32, 16]", "hidden = [0]")).what, HasSubstr("above 0"));
}

TEST(Config, RefusesNumbersOutOfRange) {
  EXPECT_THAT(refusal(changed("delta = 1e-6", "delta = 1")).what, HasSubstr("delta between"));
  EXPECT_THAT(refusal(changed("delta = 1e-6", "delta = 0")).remedy, HasSubstr("delta = 1e-6"));
  EXPECT_TRUE(parsed(changed("delta = 1e-6", "delta = 0.000999")));
  const Error large = refusal(changed("delta = 1e-6", "delta = 0.001"));
  EXPECT_THAT(large.what, HasSubstr("less than one over the number of examples, 1000"));
  EXPECT_EQ(large.where, "here/a.toml:10");
  EXPECT_EQ(large.remedy, "for example: delta = 1e-04");
  EXPECT_THAT(refusal(changed("epsilon = 1", "epsilon = 0")).what, HasSubstr("above 0"));
  EXPECT_THAT(refusal(changed("batch_size = 300", "batch_size = 0")).what, HasSubstr("from 1"));
  EXPECT_THAT(refusal(changed("learning_rate = 0.5", "learning_rate = 0.5\nmomentum = 1")).what,
              HasSubstr("between 0 and 1"));
  EXPECT_THAT(refusal(changed("examples = 1000", "")).what, HasSubstr("how many examples"));
}

std::string with_images() {
  return changed("table = \"people\"\nlabel = \"income\"",
                 "images = \"i\"\nlabels = \"l\"\nclasses = 10");
}

std::string with_privacy(const std::string& line) {
  return changed("delta = 1e-6", "delta = 1e-6\n" + line);
}

std::string with_training(const std::string& line) {
  return changed("epochs = 3", "epochs = 3\n" + line);
}

TEST(Config, SamplersSchedulesAndBounds) {
  using Kind = train::Sampling::Kind;
  EXPECT_EQ(parsed(kWhole)->privacy.sampler, Kind::kPoisson);
  const auto truncated = parsed(with_privacy("sampler = \"truncated\"\nlargest_batch = 400"));
  ASSERT_TRUE(truncated) << truncated.error().message();
  EXPECT_EQ(truncated->privacy.sampler, Kind::kTruncated);
  EXPECT_EQ(truncated->privacy.largest_batch, 400U);
  EXPECT_THAT(refusal(with_privacy("largest_batch = 400")).what, HasSubstr("truncated"));
  EXPECT_FALSE(truncated->privacy.mixed_precision);
  const auto mixed = parsed(with_privacy("mixed_precision = true\nlargest_batch = 400"));
  ASSERT_TRUE(mixed) << mixed.error().message();
  EXPECT_TRUE(mixed->privacy.mixed_precision);
  EXPECT_EQ(mixed->privacy.sampler, Kind::kTruncated);
  EXPECT_THAT(refusal(with_privacy("sampler = \"shuffled\"")).remedy, HasSubstr("fixed-size"));

  const auto adaptive = parsed(with_privacy("clipping = \"adaptive\"\nquantile = 0.3"));
  ASSERT_TRUE(adaptive) << adaptive.error().message();
  EXPECT_EQ(adaptive->privacy.adaptive.quantile, 0.3);
  EXPECT_THAT(refusal(with_privacy("quantile = 0.3")).what, HasSubstr("follows the norms"));
  EXPECT_THAT(refusal(with_privacy("clipping = \"adaptive\"\nclip_schedule = {shape = "
                                   "\"linear\", last = 2}"))
                  .what,
              HasSubstr("no schedule"));
}

TEST(Config, SchedulesAreLinesOrLevels) {
  const auto factors = [](const std::string& text) {
    const auto config = parsed(with_privacy("noise_schedule = " + text));
    EXPECT_TRUE(config) << config.error().message();
    return config->privacy.noise_schedule.over(config->steps())->to_text();
  };
  EXPECT_EQ(factors("{shape = \"linear\", last = 0.5, levels = 3}"),
            "1, from step 4 0.75, from step 7 0.5");
  EXPECT_EQ(factors("{shape = \"exponential\", last = 0.25, levels = 2}"), "1, from step 5 0.25");
  EXPECT_EQ(factors("{steps = [0, 6], factors = [1, 0.8]}"), "1, from step 6 0.8");
  const auto refused = [](const std::string& text) {
    return refusal(with_privacy("noise_schedule = " + text)).what;
  };
  EXPECT_THAT(refused("{shape = \"linear\"}"), HasSubstr("'last'"));
  EXPECT_THAT(refused("{shape = \"linear\", last = 1, steps = [0]}"), HasSubstr("one way"));
  EXPECT_THAT(refused("{steps = [0, 6], factors = [1]}"), HasSubstr("as many"));
  EXPECT_THAT(refused("{steps = [1], factors = [1]}"), HasSubstr("step 0"));
  EXPECT_THAT(refused("{steps = [0.5], factors = [1]}"), HasSubstr("whole number"));
  EXPECT_THAT(refused("{steps = [0], factors = [0]}"), HasSubstr("above 0"));
  EXPECT_THAT(refused("{shapes = \"linear\", last = 1}"), HasSubstr("unknown key 'shapes'"));
  EXPECT_THAT(refused("0.5"), HasSubstr("must be a table"));
}

TEST(Config, KnobsOfSpeedAndTheAverage) {
  const auto config =
      parsed(with_training("device = \"cuda\"\nmemory_mib = 500\nweight_average = 0.99"));
  ASSERT_TRUE(config) << config.error().message();
  EXPECT_EQ(config->training.device, DeviceKind::kCuda);
  EXPECT_EQ(config->training.memory_mib, 500);
  EXPECT_EQ(config->training.weight_average, 0.99);
  EXPECT_THAT(refusal(with_training("memory_mib = 5\nphysical_batch = 2")).what,
              HasSubstr("chooses the physical batch"));
  EXPECT_THAT(refusal(with_training("weight_average = 1")).what, HasSubstr("[0, 1)"));
  EXPECT_THAT(refusal(with_training("device = \"tpu\"")).remedy, HasSubstr("cpu, cuda"));
}

TEST(Config, ViewsAreOfImages) {
  const auto config = parsed(with_images() + "[augmentation]\nflip = true\ncrop = 2\nviews = 4\n");
  ASSERT_TRUE(config) << config.error().message();
  EXPECT_TRUE(config->augmentation.flip);
  EXPECT_EQ(config->augmentation.crop, 2);
  EXPECT_EQ(config->augmentation.views, 4);
  EXPECT_THAT(refusal(with_images() + "[augmentation]\nviews = 4\n").what,
              HasSubstr("changes nothing"));
  EXPECT_THAT(refusal(std::string(kWhole) + "[augmentation]\nflip = true\n").what,
              HasSubstr("said of images"));
}

// Its features are computed once, so images can be mirrored, which features tell of, but not moved.
TEST(Config, AScatteringModelTakesImagesThatDoNotMove) {
  const auto with_model = [](std::string text, const std::string& more) {
    const std::string model = "kind = \"mlp\"\nhidden = [32, 16]";
    text.replace(text.find(model), model.size(), "kind = \"scattering\"");
    return text + more;
  };
  const auto config = parsed(with_model(with_images(), "[augmentation]\nflip = true\n"));
  ASSERT_TRUE(config) << config.error().message();
  EXPECT_EQ(config->model.kind, ModelKind::kScattering);
  EXPECT_THAT(refusal(with_model(with_images(), "[augmentation]\ncrop = 2\n")).what,
              HasSubstr("do not move"));
  EXPECT_THAT(refusal(with_model(kWhole, "")).what, HasSubstr("reads images"));
}

TEST(Config, AccuracyOnPrivateDataHasAPriceAndANumberOfExamples) {
  const auto test =
      parsed(std::string(kWhole) + "[test]\ntable = \"t\"\nepsilon = 0.1\nexamples = 50\n");
  ASSERT_TRUE(test) << test.error().message();
  ASSERT_TRUE(test->test->is_private);
  EXPECT_EQ(test->test->is_private->examples, 50U);
  EXPECT_THAT(refusal(std::string(kWhole) + "[test]\ntable = \"t\"\nepsilon = 0.1\n").what,
              HasSubstr("how many examples"));
  EXPECT_THAT(refusal(std::string(kWhole) + "[test]\ntable = \"t\"\nexamples = 5\n").what,
              HasSubstr("private test data"));
  EXPECT_THAT(refusal(with_images() + "[test]\nimages = \"i\"\nlabels = \"l\"\npublic = true\n"
                                      "epsilon = 1\nexamples = 5\n")
                  .what,
              HasSubstr("public"));
}

TEST(Config, TestImagesMustBeDeclaredPublic) {
  const std::string images = with_images();
  const std::string test = "[test]\nimages = \"i\"\nlabels = \"l\"\n";
  EXPECT_THAT(refusal(images + test).what, HasSubstr("public"));
  EXPECT_TRUE(parsed(images + test + "public = true\n"));
  EXPECT_THAT(refusal(images + "[test]\ntable = \"people\"\n").what, HasSubstr("another kind"));
}

}  // namespace
}  // namespace tacit::training

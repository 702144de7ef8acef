#include "cli/training/trainer.h"

#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "cli/training/archive.h"
#include "cli/training/device.h"
#include "cli/training/peak_memory.h"
#include "cli/training/sgd_plan.h"
#include "tacit/ledger/sqlite/sqlite_store.h"
#include "tacit/ledger/testing/scratch.h"

namespace tacit::training {
namespace {

using ::testing::HasSubstr;

Config config_with(const std::string& training, const std::string& more = "") {
  const std::string text =
      R"([data]
images = "i"
labels = "l"
classes = 2
examples = 64
[privacy]
noise = 4
delta = 1e-5
[output]
model = "model.pt"
[training]
batch_size = 16
steps = 6
learning_rate = 0.5
momentum = 0.9
seed = 1
)" + training +
      "\n" +
      (more.find("[model]") == std::string::npos ? "[model]\nkind = \"mlp\"\nhidden = [8]\n" : "") +
      more;
  auto config = Config::parse(text, "a.toml");
  EXPECT_TRUE(config) << config.error().message();
  return *std::move(config);
}

// Images of 6 by 6, dark or bright.
Examples pictures() {
  Examples out{.shape = {1, 6, 6}, .scale = {1.0F / 255}, .shift = {0}, .classes = {"0", "1"}};
  std::vector<std::uint8_t> bytes;
  for (std::int64_t i = 0; i < 64; ++i) {
    out.labels.push_back(i % 2);
    bytes.insert(bytes.end(), 36, i % 2 == 0 ? 10 : 240);
  }
  out.values = std::move(bytes);
  return out;
}

class TrainerTest : public testing::Test {
 protected:
  TrainerTest()
      : ledger_(Ledger::create(create_sqlite_store(scratch_ / "ledger").value(), "eve").value()) {
    EXPECT_TRUE(ledger_.create_dataset(
        {.dataset = "visits", .budget = *Budget::approximate(50, *Rational::parse("1e-5"))}));
  }

  train::PrivateSgd begin(const Config& config, const Trainer& trainer) {
    const auto plan = *sgd_plan(config);
    auto permit = ledger_.reserve({.account = {.dataset = "visits", .analyst = {}},
                                   .cost = *plan.cost(),
                                   .who = "ana",
                                   .note = "train"});
    return train::PrivateSgd::begin(plan, trainer.parameters(), *std::move(permit)).value();
  }
  static Result<Trainer> make(const Config& config, const Examples& examples) {
    return Trainer::create(config, examples, *sgd_plan(config));
  }

  Scratch scratch_;
  Ledger ledger_;
};

TEST_F(TrainerTest, ACheckpointGivesBackWeightsAverageAndOptimizer) {
  const Config config = config_with("weight_average = 0.5");
  const Examples examples = pictures();
  const ExampleTensors tensors(examples, at::kCPU);
  auto first = make(config, examples);
  ASSERT_TRUE(first) << first.error().message();
  auto run = begin(config, *first);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(first->step(run, tensors));
  const std::string kept = first->checkpoint(run.state());

  auto second = make(config, examples);
  const auto state = second->restore(kept, "here");
  ASSERT_TRUE(state) << state.error().message();
  EXPECT_EQ(*state, run.state());
  const auto before = from_archive(kept, "here");
  const auto after = from_archive(second->checkpoint(*state), "here");
  ASSERT_EQ(before->size(), after->size());
  for (const auto& [name, tensor] : *before) {
    // The optimizer's state has addresses in it.
    EXPECT_TRUE(name == "optimizer" || tensor.equal(after->at(name))) << name;
  }
}

TEST_F(TrainerTest, ACheckpointHoldsNoKey) {
  const Config config = config_with("");
  const Examples examples = pictures();
  auto trainer = make(config, examples);
  const auto run = begin(config, *trainer);
  const auto kept = from_archive(trainer->checkpoint(run.state()), "here");
  ASSERT_TRUE(kept);
  std::vector<std::string> names;
  for (const auto& [name, tensor] : *kept) names.push_back(name);
  EXPECT_THAT(names, testing::ElementsAre("model/1.bias", "model/1.weight", "model/3.bias",
                                          "model/3.weight", "optimizer", "run"));
  EXPECT_EQ(run.state(), "tacit private sgd 1, position 0, bound 1");
}

TEST_F(TrainerTest, RefusesACheckpointOfAnotherModel) {
  const Examples examples = pictures();
  const auto plain = make(config_with(""), examples);
  const std::string kept = plain->checkpoint("state");
  auto averaging = make(config_with("weight_average = 0.5"), examples);
  EXPECT_THAT(averaging->restore(kept, "here").error().what, HasSubstr("another model"));
  auto larger = make(config_with("", "[model]\nkind = \"mlp\"\nhidden = [9]\n"), examples);
  EXPECT_THAT(larger->restore(kept, "here").error().what, HasSubstr("another model"));
  auto forgetful = make(config_with(""), examples);
  const std::string more = averaging->checkpoint("state");
  EXPECT_THAT(forgetful->restore(more, "here").error().what, HasSubstr("another model"));
}

// The average of weights is what is told and written, and the weights go on by themselves.
TEST_F(TrainerTest, WritesTheAverageAndTrainsOnWithTheWeights) {
  const Config config = config_with("weight_average = 0.9");
  const Examples examples = pictures();
  auto trainer = make(config, examples);
  auto run = begin(config, *trainer);
  ASSERT_TRUE(trainer->step(run, ExampleTensors(examples, at::kCPU)));
  const at::Tensor weights = trainer->parameters().front().detach().clone();
  const auto written = from_archive(trainer->model_archive(), "here");
  EXPECT_FALSE(written->at("1.weight").equal(weights));
  EXPECT_TRUE(trainer->parameters().front().equal(weights));
}

TEST_F(TrainerTest, FollowsTheScheduleOfTheLearningRate) {
  // A rate of nearly nothing from step 1 on: weights stay where they are.
  const Config config =
      config_with("learning_rate_schedule = {steps = [0, 1], factors = [1, 1e-12]}");
  const Examples examples = pictures();
  const ExampleTensors tensors(examples, at::kCPU);
  auto trainer = make(config, examples);
  auto run = begin(config, *trainer);
  const at::Tensor before = trainer->parameters().front().detach().clone();
  ASSERT_TRUE(trainer->step(run, tensors));
  const at::Tensor after = trainer->parameters().front().detach().clone();
  EXPECT_GT((after - before).abs().max().item<double>(), 1e-3);
  ASSERT_TRUE(trainer->step(run, tensors));
  EXPECT_LT((trainer->parameters().front() - after).abs().max().item<double>(), 1e-6);
}

TEST_F(TrainerTest, RowsOfNobodyAreZeros) {
  const Examples examples = pictures();
  const ExampleTensors tensors(examples, at::kCPU);
  const at::Tensor places = at::tensor({3, -1, 1}, at::kLong);
  EXPECT_EQ(tensors.labels(places).sum().item<std::int64_t>(), 2);
  const at::Tensor inputs = tensors.inputs(places);
  EXPECT_EQ(inputs[1].abs().max().item<float>(), 0);
  EXPECT_TRUE(inputs[0].equal(tensors.inputs(at::tensor({3}, at::kLong))[0]));
}

// oneDNN's products in half precision need instructions that some virtual machines announce and do
// not have.
struct WithoutOneDnn {
  WithoutOneDnn() { at::globalContext().setUserEnabledMkldnn(false); }
  WithoutOneDnn(const WithoutOneDnn&) = delete;
  WithoutOneDnn& operator=(const WithoutOneDnn&) = delete;
  ~WithoutOneDnn() { at::globalContext().setUserEnabledMkldnn(true); }
};

TEST_F(TrainerTest, TrainsInMixedPrecision) {
  const WithoutOneDnn without;
  Config config = config_with("physical_batch = 10", "[model]\nkind = \"resnet\"\n");
  config.privacy.mixed_precision = true;
  config.privacy.sampler = train::Sampling::Kind::kTruncated;
  const Examples examples = pictures();
  const ExampleTensors tensors(examples, at::kCPU);
  auto trainer = make(config, examples);
  ASSERT_TRUE(trainer) << trainer.error().message();
  auto run = begin(config, *trainer);
  const at::Tensor before = trainer->parameters().front().detach().clone();
  for (int i = 0; i < 3; ++i) {
    const auto stepped = trainer->step(run, tensors);
    ASSERT_TRUE(stepped) << stepped.error().message();
  }
  EXPECT_FALSE(trainer->parameters().front().equal(before));
  EXPECT_EQ(trainer->parameters().front().scalar_type(), at::kFloat);
}

TEST_F(TrainerTest, KeepsToAMemoryLimitOrSaysWhatItTakes) {
  const Examples examples = pictures();
  const ExampleTensors tensors(examples, at::kCPU);
  std::vector<std::int64_t> at_once;
  bool was_refused = false;
  for (std::int64_t mib = 1; mib <= 4096; mib *= 2) {
    const Config config =
        config_with("memory_mib = " + std::to_string(mib), "[model]\nkind = \"resnet\"\n");
    auto trainer = make(config, examples);
    if (!trainer) {
      EXPECT_THAT(trainer.error().what, HasSubstr("even with one example"));
      EXPECT_TRUE(at_once.empty()) << "more memory was enough before";
      was_refused = true;
      continue;
    }
    at_once.push_back(trainer->examples_at_once());
    auto run = begin(config, *trainer);
    const std::int64_t peak = peak_bytes([&] { EXPECT_TRUE(trainer->step(run, tensors)); });
    EXPECT_LE(peak, mib << 20) << trainer->examples_at_once() << " at once";
  }
  EXPECT_TRUE(was_refused);
  ASSERT_FALSE(at_once.empty());
  EXPECT_TRUE(std::ranges::is_sorted(at_once));
  EXPECT_EQ(at_once.back(), 32) << "twice the batch: more are hardly drawn together";
}

// Colour images of 8 by 12, by chance.
Examples colour_pictures() {
  Examples out{.shape = {3, 8, 12},
               .scale = {1.0F / 255, 2.0F / 255, 1.0F / 255},
               .shift = {0, -1, 0},
               .classes = {"0", "1"}};
  std::vector<std::uint8_t> bytes;
  for (std::size_t i = 0; i < 64; ++i) out.labels.push_back(static_cast<std::int64_t>(i % 2));
  for (std::size_t i = 0; i < 64 * 3 * 8 * 12; ++i) {
    bytes.push_back(static_cast<std::uint8_t>(i * i % 251));
  }
  out.values = std::move(bytes);
  return out;
}

TEST_F(TrainerTest, KeepsScatteringFeaturesInThePlaceOfPixels) {
  const Examples examples = colour_pictures();
  const at::Tensor places = at::tensor({63, 5}, at::kLong);
  const at::Tensor pixels = ExampleTensors(examples, at::kCPU).inputs(places);
  const auto scattering = *train::Scattering::create(8, 12, at::kCPU);
  const auto trainer = make(config_with("", "[model]\nkind = \"scattering\"\n"), examples);
  ASSERT_TRUE(trainer) << trainer.error().message();
  for (const bool one_by_one : {false, true}) {
    const auto tensors = trainer->tensors_of(examples, one_by_one, {});
    ASSERT_TRUE(tensors) << tensors.error().message();
    const at::Tensor told = tensors->inputs(places);
    ASSERT_EQ(told.sizes(), (std::vector<std::int64_t>{2, 243, 2, 3}));
    EXPECT_LT((told - scattering.features(pixels)).abs().max().item<double>(), 1e-5);
    EXPECT_EQ(tensors->labels(places).sum().item<std::int64_t>(), 2);
  }
}

// Which others share its pass may move a last bit, and half precision makes much of that.
TEST_F(TrainerTest, ComputesFeaturesImageByImageInMixedPrecision) {
  const WithoutOneDnn without;
  const Examples examples = colour_pictures();
  const ExampleTensors pixels(examples, at::kCPU);
  const auto scattering = *train::Scattering::create(8, 12, at::kCPU);
  Config config = config_with("", "[model]\nkind = \"scattering\"\n");
  for (const bool is_mixed : {false, true}) {
    config.privacy.mixed_precision = is_mixed;
    config.privacy.sampler =
        is_mixed ? train::Sampling::Kind::kTruncated : train::Sampling::Kind::kPoisson;
    const auto trainer = make(config, examples);
    ASSERT_TRUE(trainer) << trainer.error().message();
    std::vector<std::uint64_t> done;
    const auto tensors = trainer->tensors_of(
        examples, false,
        [&](std::uint64_t images, std::uint64_t /*all*/) { done.push_back(images); });
    ASSERT_TRUE(tensors) << tensors.error().message();
    EXPECT_EQ(done.size(), is_mixed ? 64U : 1U);
    for (std::int64_t i = 0; is_mixed && i < 64; ++i) {
      const at::Tensor place = at::full({1}, i, at::kLong);
      EXPECT_TRUE(tensors->inputs(place).equal(scattering.features(pixels.inputs(place)))) << i;
    }
  }
}

TEST_F(TrainerTest, TakesStepsOnViewsOfScatteringFeatures) {
  const Config config =
      config_with("", "[augmentation]\nflip = true\nviews = 2\n[model]\nkind = \"scattering\"\n");
  const Examples examples = colour_pictures();
  auto trainer = make(config, examples);
  ASSERT_TRUE(trainer) << trainer.error().message();
  const auto tensors = trainer->tensors_of(examples, false, {});
  ASSERT_TRUE(tensors) << tensors.error().message();
  auto run = begin(config, *trainer);
  const at::Tensor before = trainer->parameters().front().detach().clone();
  for (int i = 0; i < 3; ++i) {
    const auto stepped = trainer->step(run, *tensors);
    ASSERT_TRUE(stepped) << stepped.error().message();
  }
  EXPECT_FALSE(trainer->parameters().front().equal(before));
  const double right = trainer->accuracy(*tensors);
  EXPECT_TRUE(right >= 0 && right <= 1);
}

// Certificates say so.
TEST_F(TrainerTest, NoModelGoesTheSlowWay) {
  Examples examples{.shape = {1, 16, 16}, .classes = {"0", "1"}};
  examples.values = std::vector<float>(64 * 256, 0.5F);
  for (std::int64_t i = 0; i < 64; ++i) examples.labels.push_back(i % 2);
  for (const char* const model : {"kind = \"logistic\"", "kind = \"mlp\"\nhidden = [8, 8]",
                                  "kind = \"cnn\"", "kind = \"cnn\"\nnormalization = \"group\"",
                                  "kind = \"resnet\"", "kind = \"scattering\""}) {
    const Config config = config_with("", std::string("[model]\n") + model + "\n");
    auto trainer = make(config, examples);
    ASSERT_TRUE(trainer) << model << ": " << trainer.error().message();
    const auto tensors = trainer->tensors_of(examples, false, {});
    ASSERT_TRUE(tensors) << model << ": " << tensors.error().message();
    auto run = begin(config, *trainer);
    ASSERT_TRUE(trainer->step(run, *tensors)) << model;
    EXPECT_THAT(run.slow(), testing::IsEmpty()) << model;
  }
}

TEST_F(TrainerTest, RefusesImagesThatScatteringCannotCut) {
  const auto refused = make(config_with("", "[model]\nkind = \"scattering\"\n"), pictures());
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().what, HasSubstr("images of 6 by 6"));
}

TEST_F(TrainerTest, RefusesToMoveImagesByMoreThanTheyHave) {
  const auto refused = make(config_with("", "[augmentation]\ncrop = 6\n"), pictures());
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().what, HasSubstr("more pixels than they have"));
}

TEST(PeakMemory, IsThatOfTensorsAliveTogether) {
  constexpr std::int64_t kMib = 1 << 20;
  const std::int64_t peak = peak_bytes([] {
    for (int i = 0; i < 3; ++i) const at::Tensor one = at::zeros({kMib}, at::kByte);
    const at::Tensor two = at::zeros({2 * kMib}, at::kByte);
  });
  EXPECT_GE(peak, 2 * kMib);
  EXPECT_LT(peak, 3 * kMib);
}

TEST(Device, SaysWhatIsMissing) {
  EXPECT_TRUE(training_device(DeviceKind::kCpu));
  const auto device = training_device(DeviceKind::kCuda);
  if (device) GTEST_SKIP() << "there is a CUDA device";
  EXPECT_THAT(device.error().what, HasSubstr("CUDA"));
  EXPECT_THAT(device.error().remedy, HasSubstr("device = \"cpu\""));
}

}  // namespace
}  // namespace tacit::training

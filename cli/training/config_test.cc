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
  EXPECT_THAT(refusal(changed("epsilon = 1", "epsilon = 0")).what, HasSubstr("above 0"));
  EXPECT_THAT(refusal(changed("batch_size = 300", "batch_size = 0")).what, HasSubstr("from 1"));
  EXPECT_THAT(refusal(changed("learning_rate = 0.5", "learning_rate = 0.5\nmomentum = 1")).what,
              HasSubstr("between 0 and 1"));
  EXPECT_THAT(refusal(changed("examples = 1000", "")).what, HasSubstr("how many examples"));
}

TEST(Config, TestImagesMustBeDeclaredPublic) {
  const std::string images = changed("table = \"people\"\nlabel = \"income\"",
                                     "images = \"i\"\nlabels = \"l\"\nclasses = 10");
  const std::string test = "[test]\nimages = \"i\"\nlabels = \"l\"\n";
  EXPECT_THAT(refusal(images + test).what, HasSubstr("public"));
  EXPECT_TRUE(parsed(images + test + "public = true\n"));
  EXPECT_THAT(refusal(images + "[test]\ntable = \"people\"\n").what, HasSubstr("another kind"));
}

}  // namespace
}  // namespace tacit::training

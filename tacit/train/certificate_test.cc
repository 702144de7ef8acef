#include "tacit/train/certificate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tacit/ledger/sqlite/sqlite_store.h"
#include "tacit/ledger/testing/scratch.h"

namespace tacit::train {
namespace {

using ::testing::HasSubstr;

PrivateSgdPlan small_plan() {
  return {.examples = 1000,
          .sampling_rate = *PrivateSgdPlan::rate_for(50, 1000),
          .steps = 100,
          .noise_multiplier = 1,
          .clipping = {.bound = 1}};
}

class TrainingCertificate : public testing::Test {
 protected:
  TrainingCertificate()
      : ledger_(Ledger::create(create_sqlite_store(scratch_ / "ledger").value(), "eve").value()) {
    EXPECT_TRUE(ledger_.create_dataset(
        {.dataset = "visits", .budget = *Budget::approximate(50, *Rational::parse("1e-5"))}));
    const auto permit = ledger_.reserve({.account = {.dataset = "visits", .analyst = {}},
                                         .cost = *small_plan().cost(),
                                         .who = "ana",
                                         .note = "train"});
    EXPECT_TRUE(permit) << (permit ? "" : permit.error().message());
    entry_ = permit->entry();
  }

  Scratch scratch_;
  Ledger ledger_;
  std::string entry_;
};

TEST_F(TrainingCertificate, SaysWhatWasProvedAndWhoPaid) {
  const auto text =
      certificate(small_plan(), {.version = "1", .entry = entry_, .delta = 1e-5}, ledger_);
  ASSERT_TRUE(text) << text.error().message();
  const auto json = nlohmann::json::parse(*text);
  EXPECT_EQ(json["dataset"], "visits");
  EXPECT_EQ(json["guarantee"]["neighbours"], "add_remove");
  EXPECT_GE(std::stod(json["guarantee"]["epsilon"].get<std::string>()),
            small_plan().epsilon(1e-5)->upper);
  EXPECT_EQ(json["mechanism"]["clip"], "flat 1");
  EXPECT_EQ(json["mechanism"]["steps"], "100");
  EXPECT_EQ(Cost::from_json(json["cost"].dump()).value(), *small_plan().cost());
  EXPECT_EQ(json["ledger"]["who"], "ana");
  EXPECT_THAT(json["assumptions"].dump(), HasSubstr("assumption A"));
  EXPECT_TRUE(json["none_proved"].empty());
}

TEST_F(TrainingCertificate, SaysWhatWasTrainedAndWhatWasToldBeside) {
  const auto noise = *Cost::leaf(cost::Gaussian{*Rational::parse("8")}, Neighbours::kAddRemove);
  const auto told = ledger_.reserve({.account = {.dataset = "visits", .analyst = {}},
                                     .cost = noise,
                                     .who = "ana",
                                     .note = "accuracy"});
  ASSERT_TRUE(told);
  const auto text = certificate(small_plan(),
                                {.version = "1",
                                 .entry = entry_,
                                 .unit = "a row of visits",
                                 .training = {{"model", "logistic"}},
                                 .beside = {told->entry()}},
                                ledger_);
  ASSERT_TRUE(text) << text.error().message();
  const auto json = nlohmann::json::parse(*text);
  EXPECT_EQ(json["mechanism"]["unit"], "a row of visits");
  EXPECT_EQ(json["training"]["model"], "logistic");
  ASSERT_EQ(json["beside"].size(), 1U);
  EXPECT_EQ(json["beside"][0]["ledger"]["note"], "accuracy");
  EXPECT_GE(std::stod(json["beside"][0]["epsilon"].get<std::string>()),
            prove_epsilon(Accountant::kPld, noise, 1e-5)->upper);
  EXPECT_FALSE(
      certificate(small_plan(), {.version = "1", .entry = entry_, .beside = {"9:00"}}, ledger_));
}

// Epsilon of a guarantee as it is written.
double epsilon_in(const std::string& certificate) {
  const auto json = nlohmann::json::parse(certificate);
  return std::stod(json["guarantee"]["epsilon"].get<std::string>());
}

TEST_F(TrainingCertificate, CoversWhatWasPaidForWithTheRun) {
  const Cost losses =
      *Cost::repeat(3, *Cost::leaf(cost::Gaussian{*Rational::parse("8")}, Neighbours::kAddRemove));
  const Cost both = *Cost::compose({*small_plan().cost(), losses});
  const auto permit = ledger_.reserve(
      {.account = {.dataset = "visits", .analyst = {}}, .cost = both, .who = "ana", .note = "two"});
  ASSERT_TRUE(permit);
  const RunFacts facts{
      .version = "1", .entry = permit->entry(), .paid_with_it = losses, .covered = {entry_}};
  const auto text = certificate(small_plan(), facts, ledger_);
  ASSERT_TRUE(text) << text.error().message();
  const auto json = nlohmann::json::parse(*text);
  ASSERT_EQ(json["covered"].size(), 2U);
  EXPECT_EQ(Cost::from_json(json["covered"][0]["cost"].dump()).value(), losses);
  EXPECT_EQ(json["covered"][1]["ledger"]["note"], "train");
  EXPECT_EQ(Cost::from_json(json["cost"].dump()).value(), *small_plan().cost());
  const Cost all = *Cost::compose({*small_plan().cost(), losses, *small_plan().cost()});
  EXPECT_GE(epsilon_in(*text), prove_epsilon(Accountant::kPld, all, 1e-5)->upper);

  // Each alone says less, so neither was left out; and the entry must have paid for both.
  EXPECT_LT(epsilon_in(*certificate(small_plan(), {.entry = entry_}, ledger_)),
            epsilon_in(*certificate(small_plan(),
                                    {.entry = permit->entry(), .paid_with_it = losses}, ledger_)));
  EXPECT_FALSE(certificate(small_plan(), {.entry = permit->entry()}, ledger_));
  EXPECT_FALSE(certificate(small_plan(), {.entry = entry_, .paid_with_it = losses}, ledger_));
  EXPECT_FALSE(certificate(small_plan(), {.entry = entry_, .covered = {"9:00"}}, ledger_));
}

TEST_F(TrainingCertificate, InDoublePrecisionRestsOnAPartOfTheAssumption) {
  const RunFacts facts{.version = "1", .entry = entry_, .single_precision = false};
  const auto text = certificate(small_plan(), facts, ledger_);
  ASSERT_TRUE(text);
  EXPECT_THAT(*text, HasSubstr("assumption A of tacit/train/proof.md: gradients that PyTorch"));
  EXPECT_EQ(text->find("sums in single precision"), std::string::npos);
}

TEST_F(TrainingCertificate, OfNoisyLossesNamesTheirAssumption) {
  RunFacts facts{.version = "1", .entry = entry_};
  EXPECT_EQ(certificate(small_plan(), facts, ledger_)->find("assumption B"), std::string::npos);
  facts.noisy_losses = true;
  EXPECT_THAT(*certificate(small_plan(), facts, ledger_), HasSubstr("assumption B"));
}

TEST_F(TrainingCertificate, SaysThatChanceInAModelIsTakenToBeSecret) {
  EXPECT_THAT(*certificate(small_plan(), {.version = "1", .entry = entry_}, ledger_),
              HasSubstr("whose seed and state are secret"));
}

TEST_F(TrainingCertificate, InMixedPrecisionNamesItsAssumption) {
  PrivateSgdPlan plan = small_plan();
  const RunFacts facts{.version = "1", .entry = entry_};
  EXPECT_EQ(certificate(plan, facts, ledger_)->find("assumption D"), std::string::npos);
  plan.mixed_precision = MixedPrecision{};
  const auto text = certificate(plan, facts, ledger_);
  ASSERT_TRUE(text) << text.error().message();
  EXPECT_NE(text->find("assumption A"), std::string::npos);
  EXPECT_NE(text->find("assumption D"), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(*text)["mechanism"]["precision"], "mixed");
}

TEST_F(TrainingCertificate, RefusesAnEntryThatPaidForSomethingElse) {
  PrivateSgdPlan other = small_plan();
  other.steps = 101;
  EXPECT_FALSE(certificate(other, {.version = "1", .entry = entry_}, ledger_));
  EXPECT_FALSE(certificate(small_plan(), {.version = "1", .entry = "2:00"}, ledger_));
  EXPECT_FALSE(certificate(small_plan(), {.version = "1", .entry = "test"}, ledger_));
}

}  // namespace
}  // namespace tacit::train

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

TEST_F(TrainingCertificate, InDoublePrecisionRestsOnNoAssumptionAboutSums) {
  const auto text = certificate(
      small_plan(), {.version = "1", .entry = entry_, .single_precision = false}, ledger_);
  ASSERT_TRUE(text);
  EXPECT_EQ(text->find("assumption A"), std::string::npos);
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

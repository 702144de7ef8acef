#include "tacit/sql/ask.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tacit/sql/testing/clinic.h"

namespace tacit::sql {
namespace {

using ::testing::HasSubstr;
using AskTest = ClinicTest;

TEST_F(AskTest, PaysOnceForWhatIsAskedTwice) {
  const auto first = ask("SELECT count(*) AS n FROM visits");
  ASSERT_TRUE(first) << first.error().message();
  EXPECT_FALSE(first->on_record);
  EXPECT_FALSE(first->not_recorded);
  EXPECT_EQ(spent(), 0.5);
  const auto second = ask("SELECT count(*) AS n FROM visits");
  ASSERT_TRUE(second) << second.error().message();
  ASSERT_TRUE(second->on_record);
  EXPECT_EQ(second->on_record->who, "ana");
  EXPECT_EQ(second->entry, first->entry);
  EXPECT_EQ(second->release, first->release);
  EXPECT_EQ(second->answer.columns[0].values, first->answer.columns[0].values);
  EXPECT_EQ(second->answer.columns[0].half_widths, first->answer.columns[0].half_widths);
  EXPECT_EQ(spent(), 0.5);
}

TEST_F(AskTest, PaysForFreshNoise) {
  ASSERT_TRUE(ask("SELECT count(*) FROM visits"));
  const auto fresh = ask("SELECT count(*) FROM visits", true);
  ASSERT_TRUE(fresh);
  EXPECT_FALSE(fresh->on_record);
  EXPECT_EQ(spent(), 1);
  EXPECT_EQ(ask("SELECT count(*) FROM visits")->entry, fresh->entry);
}

TEST_F(AskTest, RefusesWhatTheBudgetDoesNotAllow) {
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(ask("SELECT count(*) FROM visits", true));
  const auto refused = ask("SELECT count(*) FROM visits", true);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kBudget);
  EXPECT_TRUE(ask("SELECT count(*) FROM visits")) << "what is on record needs no budget";
}

TEST_F(AskTest, SaysThatTheChargeStaysWhenTheEngineFails) {
  const QueryPlan planned = plan("SELECT count(*) FROM visits");
  ASSERT_TRUE(engine_->execute("DROP TABLE visits"));
  const auto failed = sql::ask(planned, {.account = {.dataset = "clinic"}, .who = "ana"}, *ledger_,
                               *engine_, *embedded_);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().kind, ErrorKind::kWorld);
  EXPECT_THAT(failed.error().remedy, HasSubstr("stays charged (entry 3)"));
  EXPECT_THAT(failed.error().message(), ::testing::Not(HasSubstr("visits")));
  EXPECT_EQ(spent(), 0.5);
}

// The outer SELECT has a value for no number, and for every other shape: it runs over no rows.
TEST_F(AskTest, WhatIsPaidForIsNotCalledBadInput) {
  const std::string text = "SELECT CAST('x' || count(*)::VARCHAR AS INTEGER) AS n FROM visits";
  const auto failed = ask(text);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().kind, ErrorKind::kWorld) << failed.error().message();
  EXPECT_THAT(failed.error().remedy, HasSubstr("stays charged (entry 3)"));
  EXPECT_EQ(spent(), 0.5);
  const auto again = ask(text);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().kind, ErrorKind::kBadInput) << "the release on record costs nothing";
  EXPECT_EQ(spent(), 0.5);
}

}  // namespace
}  // namespace tacit::sql

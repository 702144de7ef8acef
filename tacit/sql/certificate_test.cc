#include "tacit/sql/certificate.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tacit/sql/testing/clinic.h"

namespace tacit::sql {
namespace {

using CertificateTest = ClinicTest;

TEST_F(CertificateTest, SaysWhatWasProved) {
  ASSERT_TRUE(ledger_->charge({.account = {.dataset = "clinic"},
                               .cost = *Cost::leaf(cost::NoneProved{"a table for the press"}),
                               .who = "steward",
                               .note = "press",
                               .accept_none_proved = true}));
  const std::string text = "SELECT hour, sum(minutes) FROM visits GROUP BY hour";
  const auto asked = ask(text);
  ASSERT_TRUE(asked) << asked.error().message();
  const auto facts = facts_of(plan(text), engine_->dialect());
  ASSERT_TRUE(facts);
  const auto paid = certificate_facts(*asked, text, "1.2.3", *ledger_);
  ASSERT_TRUE(paid) << paid.error().message();
  const Json made = certificate(*facts, *paid);
  EXPECT_EQ(made["tacit"], "1.2.3");
  EXPECT_EQ(made["question"], text);
  EXPECT_EQ(made["guarantee"]["epsilon"], "0.5");
  EXPECT_EQ(made["guarantee"]["delta"], "0");
  EXPECT_EQ(made["guarantee"]["neighbours"], "add_remove");
  EXPECT_EQ(made["cost"], Json::parse(plan(text).cost.to_json()));
  EXPECT_EQ(made["releases"][0]["unit"], "visits.person");
  EXPECT_EQ(made["releases"][0]["max_groups"], 4);
  EXPECT_EQ(made["releases"][0]["noise"][0]["unit_adds"], (Json{0.0, 180.0}));
  EXPECT_EQ(made["ledger"]["who"], "ana");
  EXPECT_EQ(fmt::format("{}:{}", made["ledger"]["entry"].get<int>(),
                        made["ledger"]["digest"].get<std::string>()),
            asked->entry);
  EXPECT_EQ(made["release_digest"], asked->release->hex());
  ASSERT_EQ(made["none_proved"].size(), 1U);
  EXPECT_EQ(made["none_proved"][0]["note"], "press");
}

TEST_F(CertificateTest, IsNotForWhatCostNothing) {
  const auto asked = ask("SELECT 1 AS one");
  ASSERT_TRUE(asked) << asked.error().message();
  EXPECT_TRUE(asked->entry.empty());
  EXPECT_FALSE(certificate_facts(*asked, "SELECT 1", "1", *ledger_));
  EXPECT_EQ(spent(), 0);
}

}  // namespace
}  // namespace tacit::sql

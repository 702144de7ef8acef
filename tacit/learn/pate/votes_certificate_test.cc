#include "tacit/learn/pate/votes_certificate.h"

#include <gtest/gtest.h>

#include <string>

#include "tacit/ledger/sqlite/sqlite_store.h"
#include "tacit/ledger/testing/scratch.h"

namespace tacit::learn {
namespace {

constexpr double kDelta = 1e-5;

PatePlan plan() {
  PatePlan out;
  out.classes = 3;
  out.scale = 20;
  out.questions = 20;
  out.answers = 10;
  out.test = ConfidenceTest{.threshold = 80, .deviation = 30};
  out.hindsight = SanitiserPlan{.order = 20};
  return out;
}

class VotesCertificate : public ::testing::Test {
 protected:
  VotesCertificate()
      : ledger_(Ledger::create(create_sqlite_store(folder_ / "ledger.sqlite").value(), "steward")
                    .value()) {
    EXPECT_TRUE(
        ledger_.create_dataset({.dataset = "clinic",
                                .neighbours = Neighbours::kAddRemove,
                                .budget = Budget::approximate(9, Rational(1) / 10'000).value(),
                                .parts = {},
                                .who = "steward",
                                .note = {}}));
  }

  Permit reserve(const Cost& cost) {
    return ledger_
        .reserve({.account = AccountId::parse("clinic").value(),
                  .part = {},
                  .cost = cost,
                  .who = "ana",
                  .note = "votes"})
        .value();
  }
  sql::CertificateFacts facts(const std::string& entry) {
    sql::Asked asked;
    asked.entry = entry;
    return sql::certificate_facts(asked, "which digit is it?", "1.2.3", ledger_).value();
  }

  Scratch folder_;
  Ledger ledger_;
};

TEST_F(VotesCertificate, SaysWhatHoldsAlwaysAndWhatHeldInHindsight) {
  const Votes votes = Votes::create(plan()).value();
  Permit permit = reserve(votes.cost());
  const std::string entry = permit.entry();
  VotingRun run = votes.begin(std::move(permit)).value();
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(run.ask(std::vector<std::uint64_t>{150, 3, 0}));
  const VotesOutcome outcome{.asked = 3,
                             .answered = 10 - run.answers_left(),
                             .hindsight = std::move(run).hindsight().value()};
  const sql::Json told = votes_certificate(votes, outcome, kDelta, facts(entry)).value();

  EXPECT_EQ(told.at("question"), "which digit is it?");
  EXPECT_EQ(told.at("votes").at("mechanism"), "Confident GNMax");
  EXPECT_EQ(told.at("votes").at("questions"), 3);
  EXPECT_EQ(told.at("cost"), sql::Json::parse(votes.cost().to_json()));
  const double always = std::stod(told.at("guarantee").at("epsilon").get<std::string>());
  EXPECT_GE(always, votes.epsilon(kDelta).value());
  EXPECT_NEAR(always, votes.epsilon(kDelta).value(), 2e-6);
  const double hindsight = std::stod(told.at("hindsight").at("epsilon").get<std::string>());
  EXPECT_NEAR(hindsight, outcome.hindsight->epsilon(kDelta).value(), 2e-6);
  EXPECT_EQ(told.at("ledger").at("account"), "clinic");
}

TEST_F(VotesCertificate, NeedsADeltaAboveTheOneSpent) {
  const Votes votes = Votes::create(plan()).value();
  const Permit permit = reserve(votes.cost());
  EXPECT_FALSE(votes_certificate(votes, {}, 1e-9, facts(permit.entry())));
}

}  // namespace
}  // namespace tacit::learn

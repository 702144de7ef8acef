#include "tacit/ledger/ledger.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tacit/ledger/sqlite/sqlite_store.h"
#include "tacit/ledger/testing/scratch.h"

namespace tacit {
namespace {

Rational rational(std::string_view text) { return Rational::parse(text).value(); }
AccountId id(std::string_view text) { return AccountId::parse(text).value(); }
Budget pure(std::string_view epsilon) { return Budget::pure(rational(epsilon)).value(); }
Cost pure_cost(std::string_view epsilon, Neighbours neighbours = Neighbours::kAddRemove) {
  return Cost::leaf(cost::Pure{rational(epsilon)}, neighbours).value();
}
Cost gaussian(std::string_view noise_multiplier) {
  return Cost::leaf(cost::Gaussian{rational(noise_multiplier)}).value();
}
Cost no_proof() { return Cost::leaf(cost::NoneProved{"5-anonymous table"}).value(); }

class LedgerTest : public testing::Test {
 protected:
  Ledger make(Ledger::Options options = {}) {
    return Ledger::create(create_sqlite_store(file_).value(), "steward", std::move(options))
        .value();
  }
  std::unique_ptr<Store> store() { return open_sqlite_store(file_).value(); }
  Ledger reopen(Ledger::Options options = {}) {
    return Ledger::open(store(), std::move(options)).value();
  }
  static std::string spent(Ledger& ledger, std::string_view account) {
    return ledger.account(id(account))->spent()->divergences.front().to_string();
  }
  static std::string remaining(Ledger& ledger, std::string_view account) {
    return ledger.account(id(account))->remaining()->divergences.front().to_string();
  }

  Scratch scratch_;
  std::filesystem::path file_ = scratch_ / "ledger.sqlite";
};

#define EXPECT_REFUSED(expression, expected_kind)                                  \
  do {                                                                             \
    const auto outcome = (expression);                                             \
    ASSERT_FALSE(outcome);                                                         \
    EXPECT_EQ(outcome.error().kind, (expected_kind)) << outcome.error().message(); \
  } while (false)

TEST_F(LedgerTest, TenTenthsFillOneAndTheEleventhIsRefused) {
  Ledger ledger = make();
  ASSERT_TRUE(ledger.create_dataset({.dataset = "visits", .budget = pure("1")}));
  for (int i = 0; i < 10; ++i) {
    const auto permit = ledger.reserve({.account = id("visits"), .cost = pure_cost("0.1")});
    ASSERT_TRUE(permit) << permit.error().message();
    EXPECT_EQ(permit->cost(), pure_cost("0.1"));
  }
  const Head full = ledger.head().value();
  EXPECT_REFUSED(ledger.reserve({.account = id("visits"), .cost = pure_cost("0.000000000001")}),
                 ErrorKind::kBudget);
  EXPECT_EQ(ledger.head().value(), full) << "a refusal charges nothing";
  EXPECT_EQ(spent(ledger, "visits"), "1");
  EXPECT_EQ(remaining(ledger, "visits"), "0");
}

TEST_F(LedgerTest, APermitNamesTheEntryThatPaid) {
  Ledger ledger = make();
  ASSERT_TRUE(ledger.create_dataset({.dataset = "visits", .budget = pure("1")}));
  const Permit permit =
      ledger.reserve({.account = id("visits"), .cost = pure_cost("0.5"), .note = "count"}).value();
  const Head head = ledger.head().value();
  EXPECT_EQ(permit.entry(), std::to_string(head.sequence) + ":" + head.digest.hex());
  EXPECT_EQ(ledger.history(head.sequence)->front().note, "count");
}

TEST_F(LedgerTest, StateSurvivesReopening) {
  {
    Ledger ledger = make();
    ASSERT_TRUE(ledger.create_dataset({.dataset = "visits", .budget = pure("1")}));
    ASSERT_TRUE(ledger.create_analyst({.account = id("visits/alice"), .budget = pure("0.5")}));
    ASSERT_TRUE(ledger.reserve({.account = id("visits/alice"), .cost = pure_cost("0.3")}));
  }
  Ledger ledger = reopen();
  EXPECT_EQ(spent(ledger, "visits"), "0.3");
  EXPECT_EQ(spent(ledger, "visits/alice"), "0.3");
  EXPECT_EQ(remaining(ledger, "visits/alice"), "0.2");
  EXPECT_TRUE(Ledger::verify(*store()));
}

TEST_F(LedgerTest, AChargeFitsEverywhereOrNowhere) {
  Ledger ledger = make();
  ASSERT_TRUE(ledger.create_dataset({.dataset = "visits", .budget = pure("1")}));
  ASSERT_TRUE(ledger.create_analyst({.account = id("visits/alice"), .budget = pure("0.5")}));
  ASSERT_TRUE(ledger.create_analyst({.account = id("visits/bob"), .budget = pure("2")}));
  EXPECT_REFUSED(ledger.reserve({.account = id("visits/alice"), .cost = pure_cost("0.6")}),
                 ErrorKind::kBudget);
  ASSERT_TRUE(ledger.reserve({.account = id("visits/bob"), .cost = pure_cost("0.8")}));
  EXPECT_REFUSED(ledger.reserve({.account = id("visits/alice"), .cost = pure_cost("0.3")}),
                 ErrorKind::kBudget);
  EXPECT_EQ(spent(ledger, "visits"), "0.8");
  EXPECT_EQ(spent(ledger, "visits/alice"), "0");
  EXPECT_EQ(spent(ledger, "visits/bob"), "0.8");
}

TEST_F(LedgerTest, OneAnalystTwoPartsAndAQueryAcrossBoth) {
  Ledger ledger = make();
  ASSERT_TRUE(ledger.create_dataset(
      {.dataset = "visits", .budget = pure("1"), .parts = {"north", "south"}}));
  ASSERT_TRUE(ledger.create_analyst({.account = id("visits/alice"), .budget = pure("0.9")}));
  const auto ask = [&](std::string part, std::string_view epsilon) {
    return ledger.reserve(
        {.account = id("visits/alice"), .part = std::move(part), .cost = pure_cost(epsilon)});
  };
  ASSERT_TRUE(ask("north", "0.5"));
  EXPECT_EQ(spent(ledger, "visits"), "0.5");
  ASSERT_TRUE(ask("south", "0.4"));
  EXPECT_EQ(spent(ledger, "visits"), "0.5") << "parts compose in parallel";
  ASSERT_TRUE(ask("", "0.3"));
  EXPECT_EQ(spent(ledger, "visits"), "0.8") << "the whole adds to every part";
  EXPECT_EQ(spent(ledger, "visits/alice"), "0.8");
  EXPECT_REFUSED(ask("", "0.2"), ErrorKind::kBudget);
  EXPECT_REFUSED(ask("north", "0.2"), ErrorKind::kBudget);
  ASSERT_TRUE(ask("south", "0.2")) << "south has 0.2 left where north has 0.1";
  EXPECT_EQ(spent(ledger, "visits"), "0.9");
  EXPECT_REFUSED(ask("west", "0.1"), ErrorKind::kBadInput);
  EXPECT_TRUE(Ledger::verify(*store()));
}

TEST_F(LedgerTest, AReplacedUnitCanMoveBetweenTwoParts) {
  Ledger ledger = make();
  ASSERT_TRUE(ledger.create_dataset({.dataset = "visits",
                                     .neighbours = Neighbours::kReplace,
                                     .budget = pure("1"),
                                     .parts = {"a", "b", "c"}}));
  const auto ask = [&](std::string part, std::string_view epsilon) {
    return ledger.reserve({.account = id("visits"),
                           .part = std::move(part),
                           .cost = pure_cost(epsilon, Neighbours::kReplace)});
  };
  ASSERT_TRUE(ask("a", "0.3"));
  ASSERT_TRUE(ask("b", "0.4"));
  EXPECT_EQ(spent(ledger, "visits"), "0.7");
  ASSERT_TRUE(ask("c", "0.3"));
  EXPECT_EQ(spent(ledger, "visits"), "0.7");
  ASSERT_TRUE(ask("", "0.2"));
  EXPECT_EQ(spent(ledger, "visits"), "0.9");
  EXPECT_REFUSED(ask("a", "0.3"), ErrorKind::kBudget);
}

TEST_F(LedgerTest, EveryTrackedOrderMustFit) {
  Ledger ledger = make();
  // At order 2 a Gaussian of multiplier 1 costs 1, at order 8 it costs 4: the first fills up first.
  const Budget budget = Budget::with_curve(8, rational("1e-6"), rational("5e-7"),
                                           {{2, rational("2.5")}, {8, rational("5.5")}})
                            .value();
  ASSERT_TRUE(ledger.create_dataset({.dataset = "visits", .budget = budget}));
  ASSERT_TRUE(ledger.reserve({.account = id("visits"), .cost = gaussian("1")}));
  EXPECT_REFUSED(ledger.reserve({.account = id("visits"), .cost = gaussian("1")}),
                 ErrorKind::kBudget);
  const Spend left = ledger.account(id("visits"))->remaining().value();
  EXPECT_NEAR(left.divergences[0].to_rational().approximate(), 1.5, 1e-9);
  EXPECT_NEAR(left.divergences[1].to_rational().approximate(), 1.5, 1e-9);
}

TEST_F(LedgerTest, DeltasComeOutOfTheReserve) {
  Ledger ledger = make();
  ASSERT_TRUE(ledger.create_dataset(
      {.dataset = "visits",
       .budget = Budget::approximate(2, rational("1e-6"), rational("5e-7")).value()}));
  const auto ask = [&](std::string_view delta) {
    return ledger.reserve(
        {.account = id("visits"),
         .cost = Cost::leaf(cost::Approximate{rational("0.01"), rational(delta)}).value()});
  };
  ASSERT_TRUE(ask("3e-7"));
  EXPECT_REFUSED(ask("3e-7"), ErrorKind::kBudget);
  ASSERT_TRUE(ask("1e-7"));
}

TEST_F(LedgerTest, ACapIsRaisedAndNothingIsForgotten) {
  Ledger ledger = make();
  ASSERT_TRUE(ledger.create_dataset({.dataset = "visits", .budget = pure("1")}));
  ASSERT_TRUE(ledger.reserve({.account = id("visits"), .cost = pure_cost("1")}));
  EXPECT_REFUSED(ledger.grant({.account = id("visits"), .epsilon = rational("0.5")}),
                 ErrorKind::kBadInput);
  ASSERT_TRUE(ledger.grant({.account = id("visits"), .epsilon = rational("1.5"), .who = "eve"}));
  EXPECT_EQ(spent(ledger, "visits"), "1");
  EXPECT_EQ(remaining(ledger, "visits"), "0.5");
  EXPECT_EQ(ledger.history().value().back().kind(), "grant");
  EXPECT_EQ(ledger.history().value().back().who, "eve");
}

TEST_F(LedgerTest, WhatHasNoProofNeedsTheStewardsWordAndIsNamed) {
  Ledger ledger = make();
  ASSERT_TRUE(ledger.create_dataset({.dataset = "visits", .budget = pure("1")}));
  EXPECT_REFUSED(ledger.reserve({.account = id("visits"), .cost = no_proof()}),
                 ErrorKind::kBadInput);
  ASSERT_TRUE(
      ledger.reserve({.account = id("visits"), .cost = no_proof(), .accept_none_proved = true}));
  EXPECT_EQ(spent(ledger, "visits"), "0");
  const auto named = ledger.none_proved("visits").value();
  ASSERT_EQ(named.size(), 1U);
  EXPECT_EQ(named.front().kind(), "none_proved");
  const Cost mixed = Cost::compose({no_proof(), pure_cost("0.1")}).value();
  EXPECT_REFUSED(
      ledger.reserve({.account = id("visits"), .cost = mixed, .accept_none_proved = true}),
      ErrorKind::kBadInput);
}

TEST_F(LedgerTest, AReleaseMadeOutsideIsEnteredEvenBeyondTheCapWhereTheStewardSaysSo) {
  Ledger ledger = make();
  ASSERT_TRUE(ledger.create_dataset({.dataset = "visits", .budget = pure("1")}));
  ASSERT_TRUE(ledger.charge({.account = id("visits"), .cost = pure_cost("0.9")}));
  EXPECT_REFUSED(ledger.charge({.account = id("visits"), .cost = pure_cost("0.9")}),
                 ErrorKind::kBudget);
  ASSERT_TRUE(ledger.charge({.account = id("visits"), .cost = pure_cost("0.9")}, true));
  EXPECT_EQ(spent(ledger, "visits"), "1.8");
  EXPECT_EQ(remaining(ledger, "visits"), "0");
  EXPECT_REFUSED(ledger.reserve({.account = id("visits"), .cost = Cost::nothing()}),
                 ErrorKind::kBudget);
  EXPECT_TRUE(Ledger::verify(*store()));
}

TEST_F(LedgerTest, RefusesWhatHasNoMeaning) {
  Ledger ledger = make();
  ASSERT_TRUE(ledger.create_dataset({.dataset = "visits", .budget = pure("1")}));
  const auto refused = [&](const Ledger::Request& request) {
    EXPECT_REFUSED(ledger.reserve(request), ErrorKind::kBadInput);
  };
  refused({.account = id("nobody"), .cost = pure_cost("0.1")});
  refused({.account = id("visits/nobody"), .cost = pure_cost("0.1")});
  refused({.account = id("visits"), .cost = pure_cost("0.1", Neighbours::kReplace)});
  refused({.account = id("visits"), .cost = gaussian("1")});
  refused({.account = id("visits"), .cost = pure_cost("0.1"), .note = "\xff"});
  refused({.account = id("visits"), .cost = pure_cost("0.1"), .who = std::string(5000, 'x')});
  EXPECT_REFUSED(ledger.create_dataset({.dataset = "visits", .budget = pure("1")}),
                 ErrorKind::kBadInput);
  EXPECT_REFUSED(ledger.create_dataset({.dataset = "a/b", .budget = pure("1")}),
                 ErrorKind::kBadInput);
  EXPECT_REFUSED(
      ledger.create_dataset({.dataset = "other", .budget = pure("1"), .parts = {"a", "a"}}),
      ErrorKind::kBadInput);
  EXPECT_REFUSED(ledger.create_analyst({.account = id("nobody/a"), .budget = pure("1")}),
                 ErrorKind::kBadInput);
  EXPECT_REFUSED(Ledger::create(store(), "steward"), ErrorKind::kBadInput);
  EXPECT_EQ(ledger.head()->sequence, 2U);
}

TEST_F(LedgerTest, AClockSetBackChangesNothing) {
  std::chrono::sys_seconds now{std::chrono::seconds(2'000'000'000)};
  Ledger ledger = make({.key = {}, .clock = [&] { return now; }});
  ASSERT_TRUE(ledger.create_dataset({.dataset = "visits", .budget = pure("1")}));
  ASSERT_TRUE(ledger.reserve({.account = id("visits"), .cost = pure_cost("0.6")}));
  for (const std::int64_t seconds : {1'000'000'000LL, 0LL, -5'000'000'000LL, 999'999'999'999LL}) {
    now = std::chrono::sys_seconds{std::chrono::seconds(seconds)};
    EXPECT_REFUSED(ledger.reserve({.account = id("visits"), .cost = pure_cost("0.6")}),
                   ErrorKind::kBudget);
    ASSERT_TRUE(ledger.reserve({.account = id("visits"), .cost = pure_cost("0.1")}));
  }
  EXPECT_EQ(spent(ledger, "visits"), "1");
  EXPECT_TRUE(Ledger::verify(*store()));
}

TEST_F(LedgerTest, ASignedLedgerTakesEntriesFromItsKeyOnly) {
  const SigningKey key = SigningKey::generate().value();
  {
    Ledger ledger = make({.key = key, .clock = {}});
    ASSERT_TRUE(ledger.create_dataset({.dataset = "visits", .budget = pure("1")}));
    ASSERT_TRUE(ledger.reserve({.account = id("visits"), .cost = pure_cost("0.1")}));
  }
  EXPECT_EQ(Ledger::verify(*store())->key, key.public_key());
  EXPECT_TRUE(Ledger::verify(*store(), {.head = {}, .key = key.public_key()}));
  const PublicKey other = SigningKey::generate()->public_key();
  EXPECT_REFUSED(Ledger::verify(*store(), {.head = {}, .key = other}), ErrorKind::kWorld);

  Ledger reader = reopen();
  EXPECT_EQ(spent(reader, "visits"), "0.1");
  EXPECT_REFUSED(reader.reserve({.account = id("visits"), .cost = pure_cost("0.1")}),
                 ErrorKind::kBadInput);
  Ledger stranger = reopen({.key = SigningKey::generate().value(), .clock = {}});
  EXPECT_REFUSED(stranger.reserve({.account = id("visits"), .cost = pure_cost("0.1")}),
                 ErrorKind::kBadInput);
  Ledger steward = reopen({.key = key, .clock = {}});
  EXPECT_TRUE(steward.reserve({.account = id("visits"), .cost = pure_cost("0.1")}));
}

}  // namespace
}  // namespace tacit

#include "tacit/ledger/testing/store_suite.h"

#include <atomic>
#include <chrono>
#include <thread>

#include "tacit/ledger/ledger.h"

namespace tacit {

TEST_P(StoreSuite, BeginsEmpty) {
  EXPECT_EQ(store_->head().value(), Head{});
  EXPECT_TRUE(store_->read(0, 10).value().empty());
}

TEST_P(StoreSuite, GivesBackWhatItWasGiven) {
  StoredEntry signed_entry = entry(2, "{\"note\":\"Zürich \\u0000 'quoted'\"}");
  signed_entry.signature.emplace().bytes.fill(0xa5);
  append(*store_, {entry(1), signed_entry});
  append(*store_, {entry(3, std::string(300'000, 'x'))});

  const auto store = reopen();
  const auto entries = store->read(0, 10).value();
  ASSERT_EQ(entries.size(), 3U);
  EXPECT_EQ(entries[0], entry(1));
  EXPECT_EQ(entries[1], signed_entry);
  EXPECT_EQ(entries[2].body.size(), 300'000U);
  EXPECT_EQ(store->head()->sequence, 3U);
  EXPECT_EQ(store->head()->digest, entries[2].digest);
  EXPECT_EQ(store->read(1, 1).value(), std::vector{signed_entry});
}

TEST_P(StoreSuite, AnEndedTransactionWithoutCommitLeavesNothing) {
  {
    auto transaction = store_->begin().value();
    ASSERT_TRUE(transaction->append(std::vector{entry(1)}));
    EXPECT_EQ(transaction->head()->sequence, 1U);
  }
  EXPECT_EQ(store_->head()->sequence, 0U);
  append(*store_, {entry(1)});
  EXPECT_EQ(store_->head()->sequence, 1U);
}

TEST_P(StoreSuite, RefusesGapsAndRepetitions) {
  append(*store_, {entry(1)});
  for (const std::uint64_t wrong : {0U, 1U, 3U}) {
    auto transaction = store_->begin().value();
    EXPECT_FALSE(transaction->append(std::vector{entry(wrong)})) << wrong;
  }
  append(*store_, {entry(2)});
}

TEST_P(StoreSuite, NothingIsChangedOrRemovedByHand) {
  append(*store_, {entry(1), entry(2)});
  EXPECT_FALSE(place_->run_by_hand("DELETE FROM entries"));
  EXPECT_FALSE(place_->run_by_hand("DELETE FROM entries WHERE sequence = 2"));
  EXPECT_FALSE(place_->run_by_hand("UPDATE entries SET body = '' WHERE sequence = 1"));
  EXPECT_EQ(reopen()->read(0, 10).value(), (std::vector{entry(1), entry(2)}));
}

TEST_P(StoreSuite, SeesWhatOthersCommitted) {
  const auto other = reopen();
  append(*store_, {entry(1)});
  EXPECT_EQ(other->head()->sequence, 1U);
  append(*other, {entry(2)});
  EXPECT_EQ(store_->head()->sequence, 2U);
}

TEST_P(StoreSuite, OneWriterAtATime) {
  auto held = store_->begin().value();
  ASSERT_TRUE(held->append(std::vector{entry(1)}));
  std::uint64_t seen = 0;
  std::thread second([&] {
    const auto other = reopen();
    auto transaction = other->begin();
    ASSERT_TRUE(transaction) << transaction.error().message();
    seen = (*transaction)->head()->sequence;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  ASSERT_TRUE(held->commit());
  held.reset();
  second.join();
  EXPECT_EQ(seen, 1U) << "the second transaction began before the first had ended";
}

TEST_P(StoreSuite, GivesTheLastCheckpoint) {
  EXPECT_EQ(store_->last_checkpoint().value(), std::nullopt);
  append(*store_, {entry(1), entry(2)});
  const StoredCheckpoint first = checkpoint(1, std::string("odd \0 bytes", 11));
  const StoredCheckpoint second = checkpoint(2, std::string(200'000, 'x'));
  ASSERT_TRUE(append_one(*store_, first));
  EXPECT_EQ(reopen()->last_checkpoint().value(), first);
  ASSERT_TRUE(append_one(*store_, second));
  EXPECT_FALSE(append_one(*store_, second)) << "one an entry";
  EXPECT_EQ(reopen()->last_checkpoint().value(), second);
  auto transaction = store_->begin().value();
  EXPECT_EQ(transaction->last_checkpoint().value(), second);
}

TEST_P(StoreSuite, GivesTheNewestReleaseUnderAFingerprint) {
  append(*store_, {entry(1), entry(2)});
  const StoredRelease first = release(1, "how many?", std::string("\0\xff answer", 9));
  const StoredRelease second = release(2, "how many?", std::string(300'000, 'x'));
  const StoredRelease other = release(2, "how old?", "another answer");
  ASSERT_TRUE(append_one(*store_, first));
  EXPECT_EQ(reopen()->last_release("visits", first.fingerprint).value(), first);
  ASSERT_TRUE(append_one(*store_, second));
  ASSERT_TRUE(append_one(*store_, other));
  EXPECT_FALSE(append_one(*store_, first)) << "nothing is put on record twice";
  const auto store = reopen();
  EXPECT_EQ(store->last_release("visits", first.fingerprint).value(), second);
  EXPECT_EQ(store->last_release("visits", other.fingerprint).value(), other);
  EXPECT_EQ(store->last_release("visit", first.fingerprint).value(), std::nullopt);
  EXPECT_EQ(store->last_release("visits", Digest{}).value(), std::nullopt);
}

TEST_P(StoreSuite, CheckpointsAndReleasesStandToo) {
  append(*store_, {entry(1)});
  ASSERT_TRUE(append_one(*store_, checkpoint(1, "book")));
  ASSERT_TRUE(append_one(*store_, release(1, "how many?", "answer")));
  for (const std::string table : {"checkpoints", "releases"}) {
    EXPECT_FALSE(place_->run_by_hand("DELETE FROM " + table));
    EXPECT_FALSE(place_->run_by_hand("UPDATE " + table + " SET body = ''"));
  }
  EXPECT_TRUE(reopen()->check_whole());
}

TEST_P(StoreSuite, CannotBeMadeTwice) {
  append(*store_, {entry(1)});
  EXPECT_FALSE(place_->create());
  EXPECT_EQ(reopen()->head()->sequence, 1U);
}

TEST_P(StoreSuite, KeepsWhatWasReleased) {
  const AccountId id = AccountId::parse("visits").value();
  const Cost tenth = Cost::leaf(cost::Pure{Rational::ratio(1, 10).value()}).value();
  const Digest asked = Digest::of("SELECT count(*) FROM visits, bound");
  Ledger ledger = Ledger::create(std::move(store_), "steward").value();
  ASSERT_TRUE(ledger.create_dataset({.dataset = "visits", .budget = Budget::pure(1).value()}));
  EXPECT_FALSE(ledger.find_release("visits", asked).value());
  const Permit permit =
      ledger.reserve({.account = id, .cost = tenth, .who = "alice", .fingerprint = asked}).value();
  EXPECT_FALSE(ledger.find_release("visits", asked).value()) << "paid, and lost to a crash";
  const auto recorded =
      ledger.record_release({.entry = permit.entry(), .fingerprint = asked, .bytes = "412 +- 3"});
  ASSERT_TRUE(recorded) << recorded.error().message();

  Ledger other = Ledger::open(reopen()).value();
  const auto found = other.find_release("visits", asked).value();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->bytes, "412 +- 3");
  EXPECT_EQ(found->entry.who, "alice");
  EXPECT_EQ(found->paid, other.head().value()) << "a release on record is no entry";
  // A fresh one goes before it.
  const Permit fresh =
      other.reserve({.account = id, .cost = tenth, .who = "bob", .fingerprint = asked}).value();
  ASSERT_TRUE(
      other.record_release({.entry = fresh.entry(), .fingerprint = asked, .bytes = "409 +- 3"}));
  EXPECT_EQ(ledger.find_release("visits", asked).value()->bytes, "409 +- 3");
  EXPECT_TRUE(Ledger::verify(*reopen()));
}

TEST_P(StoreSuite, CarriesALedger) {
  const AccountId id = AccountId::parse("visits").value();
  const Cost tenth = Cost::leaf(cost::Pure{Rational::ratio(1, 10).value()}).value();
  Ledger ledger = Ledger::create(std::move(store_), "steward").value();
  ASSERT_TRUE(ledger.create_dataset({.dataset = "visits", .budget = Budget::pure(1).value()}));

  // Two handles, each with threads of its own, race for ten tenths.
  Ledger other = Ledger::open(reopen()).value();
  std::atomic<int> granted = 0;
  std::atomic<int> refused = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      for (int k = 0; k < 3; ++k) {
        const auto permit = (i % 2 == 0 ? ledger : other).reserve({.account = id, .cost = tenth});
        if (permit) {
          ++granted;
        } else {
          EXPECT_EQ(permit.error().kind, ErrorKind::kBudget) << permit.error().message();
          ++refused;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(granted, 10);
  EXPECT_EQ(refused, 14);
  EXPECT_EQ(ledger.head().value(), other.head().value());
  const auto verified = Ledger::verify(*reopen());
  ASSERT_TRUE(verified) << verified.error().message();
  EXPECT_EQ(verified->head.sequence, 12U);
}

}  // namespace tacit

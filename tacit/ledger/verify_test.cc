#include <gtest/gtest.h>
#include <sqlite3.h>

#include <filesystem>
#include <functional>
#include <string>

#include "tacit/ledger/ledger.h"
#include "tacit/ledger/sqlite/sqlite_store.h"
#include "tacit/ledger/testing/scratch.h"

namespace tacit {
namespace {

// A ledger with six entries, and the means of someone who edits its file.
class VerifyTest : public testing::Test {
 protected:
  void SetUp() override {
    Ledger ledger = Ledger::create(create_sqlite_store(file_).value(), "steward").value();
    ASSERT_TRUE(ledger.create_dataset({.dataset = "visits", .budget = Budget::pure(1).value()}));
    for (int i = 0; i < 4; ++i) {
      const Cost cost = Cost::leaf(cost::Pure{Rational::ratio(1, 10).value()}).value();
      ASSERT_TRUE(ledger.reserve({.account = {.dataset = "visits"}, .cost = cost, .note = "ask"}));
    }
    head_ = ledger.head().value();
  }

  std::unique_ptr<Store> store() { return open_sqlite_store(file_).value(); }

  void run_sql(const std::string& sql) {
    sqlite3* handle = nullptr;
    sqlite3_open(file_.c_str(), &handle);
    sqlite3_exec(handle,
                 "DROP TRIGGER entries_are_kept; DROP TRIGGER entries_stand;"
                 "DROP TRIGGER head_follows",
                 nullptr, nullptr, nullptr);
    const std::string with_head = sql +
                                  "; UPDATE head SET (sequence, digest) = (SELECT sequence, " +
                                  "digest FROM entries ORDER BY sequence DESC LIMIT 1)";
    EXPECT_EQ(sqlite3_exec(handle, with_head.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(handle);
    sqlite3_close(handle);
    std::filesystem::remove(file_.string() + "-head");
  }

  // Replaces the bodies from `from` on, each edited by `edit`, with digests that fit again.
  void rewrite(std::uint64_t from, const std::function<void(std::string&)>& edit) {
    const auto entries = store()->read(0, 100).value();
    Digest previous = from > 1 ? entries[from - 2].digest : Digest{};
    for (std::uint64_t i = from - 1; i < entries.size(); ++i) {
      std::string body = entries[i].body;
      if (i == from - 1) edit(body);
      body.replace(body.find("\"previous\":\"") + 12, 64, previous.hex());
      previous = Digest::of(body);
      std::string quoted;
      for (const char c : body) quoted += c == '\'' ? std::string("''") : std::string(1, c);
      run_sql("UPDATE entries SET body = '" + quoted + "', digest = x'" + previous.hex() +
              "' WHERE sequence = " + std::to_string(i + 1));
    }
  }

  void expect_bad_entry(std::uint64_t sequence, const std::string& why) {
    const auto verified = Ledger::verify(*store());
    ASSERT_FALSE(verified);
    EXPECT_EQ(verified.error().kind, ErrorKind::kWorld);
    EXPECT_EQ(verified.error().where, "entry " + std::to_string(sequence));
    EXPECT_NE(verified.error().what.find(why), std::string::npos) << verified.error().message();
    EXPECT_FALSE(Ledger::open(store())) << "what does not verify must not grant";
  }

  static void replace(std::string& text, const std::string& before, const std::string& after) {
    const std::size_t at = text.find(before);
    ASSERT_NE(at, std::string::npos);
    text.replace(at, before.size(), after);
  }

  Scratch scratch_;
  std::filesystem::path file_ = scratch_ / "ledger.sqlite";
  Head head_;
};

TEST_F(VerifyTest, AnHonestLogVerifies) {
  const auto verified = Ledger::verify(*store(), {.head = head_.digest, .key = {}});
  ASSERT_TRUE(verified) << verified.error().message();
  EXPECT_EQ(verified->head, head_);
  EXPECT_FALSE(verified->key);
  EXPECT_TRUE(verified->underpriced.empty());
}

TEST_F(VerifyTest, AnEarlierHeadIsFoundInALogThatGrew) {
  Ledger ledger = Ledger::open(store()).value();
  ASSERT_TRUE(ledger.reserve({.account = {.dataset = "visits"}, .cost = Cost::nothing()}));
  EXPECT_TRUE(Ledger::verify(*store(), {.head = head_.digest, .key = {}}));
}

TEST_F(VerifyTest, NamesAnEditedEntry) {
  run_sql("UPDATE entries SET body = replace(body, 'ask', 'tell') WHERE sequence = 4");
  expect_bad_entry(4, "digest");
}

TEST_F(VerifyTest, NamesAnEditedEntryWithAFittingDigest) {
  const auto entries = store()->read(3, 1).value();
  std::string body = entries.front().body;
  replace(body, "ask", "tell");
  run_sql("UPDATE entries SET body = '" + body + "', digest = x'" + Digest::of(body).hex() +
          "' WHERE sequence = 4");
  expect_bad_entry(5, "chain");
}

TEST_F(VerifyTest, NamesAWrongBalanceInARewrittenChain) {
  rewrite(4, [](std::string& body) {
    replace(body, "\"spent\":{\"divergences\":[\"0.2\"]", "\"spent\":{\"divergences\":[\"0.1\"]");
  });
  expect_bad_entry(4, "balances");
}

TEST_F(VerifyTest, NamesAGrantThatDoesNotFit) {
  rewrite(2, [](std::string& body) { replace(body, "\"epsilon\":\"1\"", "\"epsilon\":\"0.3\""); });
  expect_bad_entry(6, "budget");
}

TEST_F(VerifyTest, NamesAMissingEntry) {
  run_sql("DELETE FROM entries WHERE sequence = 3");
  expect_bad_entry(3, "missing");
}

TEST_F(VerifyTest, ATruncatedLogNeedsTheHead) {
  run_sql("DELETE FROM entries WHERE sequence > 4");
  EXPECT_TRUE(Ledger::verify(*store())) << "a shorter log is a log: the page on the format says so";
  const auto verified = Ledger::verify(*store(), {.head = head_.digest, .key = {}});
  ASSERT_FALSE(verified);
  EXPECT_EQ(verified.error().kind, ErrorKind::kWorld);
}

TEST_F(VerifyTest, ARestoredBackupNeedsTheHead) {
  const auto backup = scratch_ / "backup";
  std::filesystem::copy_file(file_, backup);
  Ledger open = Ledger::open(store()).value();
  const Cost cost = Cost::leaf(cost::Pure{Rational::ratio(6, 10).value()}).value();
  ASSERT_TRUE(open.reserve({.account = {.dataset = "visits"}, .cost = cost}));
  const Digest noted = open.head()->digest;

  auto restored = open_sqlite_store(backup).value();
  EXPECT_TRUE(Ledger::verify(*restored));
  EXPECT_FALSE(Ledger::verify(*restored, {.head = noted, .key = {}}));
  // The restored log grows differently; the head that was noted is in it no more.
  Ledger other = Ledger::open(std::move(restored)).value();
  ASSERT_TRUE(other.reserve({.account = {.dataset = "visits"}, .cost = cost}));
  EXPECT_FALSE(Ledger::verify(*open_sqlite_store(backup).value(), {.head = noted, .key = {}}));
}

TEST_F(VerifyTest, WhoHasALogOpenNoticesThatItWasCut) {
  Ledger open = Ledger::open(store()).value();
  run_sql("DELETE FROM entries WHERE sequence > 4");
  const auto permit = open.reserve({.account = {.dataset = "visits"}, .cost = Cost::nothing()});
  ASSERT_FALSE(permit);
  EXPECT_EQ(permit.error().kind, ErrorKind::kWorld);
  EXPECT_EQ(open.accounts().error().kind, ErrorKind::kWorld);
}

TEST_F(VerifyTest, TellsOfAChargeThatWasTooSmall) {
  // Six entries in which each charge of 0.1 is for a cost of 0.2: the balances add up, the price
  // does not.
  for (std::uint64_t sequence = 3; sequence <= 6; ++sequence) {
    rewrite(sequence,
            [](std::string& body) { replace(body, "\"epsilon\": 0.1", "\"epsilon\": 0.2"); });
  }
  const auto verified = Ledger::verify(*store());
  ASSERT_TRUE(verified) << verified.error().message();
  EXPECT_EQ(verified->underpriced, (std::vector<std::uint64_t>{3, 4, 5, 6}));
}

TEST_F(VerifyTest, FindsABudgetThatPromisesMoreThanItKeeps) {
  rewrite(2, [](std::string& body) {
    replace(body, "{\"epsilon\":\"1\"}",
            R"({"epsilon":"1","delta":"0.000001","delta_reserve":"0","curve":[["2","1000"]]})");
  });
  const auto verified = Ledger::verify(*store());
  ASSERT_FALSE(verified);
  EXPECT_EQ(verified.error().where, "entry 2") << verified.error().message();
}

TEST_F(VerifyTest, RefusesAnEmptyLog) {
  const auto empty = create_sqlite_store(scratch_ / "empty").value();
  EXPECT_EQ(Ledger::verify(*empty).error().kind, ErrorKind::kWorld);
}

}  // namespace
}  // namespace tacit

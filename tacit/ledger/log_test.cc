#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tacit/ledger/ledger.h"
#include "tacit/ledger/log_internal.h"
#include "tacit/ledger/sqlite/connection_internal.h"
#include "tacit/ledger/sqlite/sqlite_store.h"
#include "tacit/ledger/testing/scratch.h"

namespace tacit {
namespace {

const AccountId kVisits{.dataset = "visits", .analyst = {}};

Cost unit_cost() { return Cost::leaf(cost::Pure{1}).value(); }

// A store that counts the entries read from it.
class CountingStore final : public Store {
 public:
  CountingStore(std::unique_ptr<Store> inner, std::size_t& count)
      : inner_(std::move(inner)), count_(count) {}

  Result<std::unique_ptr<Transaction>> begin() override { return inner_->begin(); }
  Result<Head> head() override { return inner_->head(); }
  Result<std::vector<StoredEntry>> read(std::uint64_t after, std::size_t limit) override {
    auto entries = inner_->read(after, limit);
    if (entries) count_ += entries->size();
    return entries;
  }
  Result<std::optional<StoredCheckpoint>> last_checkpoint() override {
    return inner_->last_checkpoint();
  }
  Result<std::optional<StoredRelease>> last_release(const std::string& dataset,
                                                    const Digest& fingerprint) override {
    return inner_->last_release(dataset, fingerprint);
  }
  Result<void> check_whole() override { return inner_->check_whole(); }
  [[nodiscard]] std::string place() const override { return inner_->place(); }

 private:
  std::unique_ptr<Store> inner_;
  std::size_t& count_;
};

class LogTest : public testing::Test {
 protected:
  void SetUp() override {
    Ledger ledger = Ledger::create(create_sqlite_store(file_).value(), "steward").value();
    ASSERT_TRUE(ledger.create_dataset({.dataset = "visits", .budget = Budget::pure(1000).value()}));
  }
  [[nodiscard]] std::unique_ptr<Store> store() const { return open_sqlite_store(file_).value(); }

  // Reserves until the log has that many entries.
  void reach(std::uint64_t entries) {
    Ledger ledger = Ledger::open(store()).value();
    while (ledger.head()->sequence < entries) {
      ASSERT_TRUE(ledger.reserve({.account = kVisits, .cost = unit_cost()}));
    }
  }
  // As one with a SQLite shell who takes the triggers away.
  void edit(const std::string& sql) const {
    auto connection = sqlite::Connection::open(file_, "").value();
    const std::string trigger =
        connection.text("SELECT sql FROM sqlite_schema WHERE name = 'checkpoints_stand'").value();
    ASSERT_TRUE(connection.run("DROP TRIGGER checkpoints_stand;" + sql + ";" + trigger));
  }
  static std::string spent(Ledger& ledger) {
    return ledger.account(kVisits)->spent()->divergences.front().to_string();
  }

  Scratch scratch_;
  std::filesystem::path file_ = scratch_ / "ledger.sqlite";
};

TEST_F(LogTest, RefusesTextsThatCannotBeShown) {
  Ledger ledger = Ledger::open(store()).value();
  for (const std::string& note :
       {std::string("\xff"), std::string("\xc0\x80"), std::string("\x1b["),
        std::string("\xed\xa0\x80"), std::string("a\0b", 3), std::string(65'537, 'x')}) {
    const auto permit = ledger.reserve({.account = kVisits, .cost = unit_cost(), .note = note});
    ASSERT_FALSE(permit);
    EXPECT_EQ(permit.error().kind, ErrorKind::kBadInput);
  }
  EXPECT_FALSE(
      ledger.reserve({.account = kVisits, .cost = unit_cost(), .who = std::string(4097, 'x')}));
  EXPECT_EQ(spent(ledger), "0");
  const std::string query = "SELECT 'Zürich',\n\tcount(*) " + std::string(60'000, 'x');
  ASSERT_TRUE(ledger.reserve({.account = kVisits, .cost = unit_cost(), .note = query}));
  EXPECT_EQ(ledger.history(3, 1)->front().note, query);
}

TEST_F(LogTest, OpeningReadsOnlyWhatCameAfterTheLastCheckpoint) {
  reach(Log::kEntriesPerCheckpoint + 8);
  EXPECT_EQ(store()->last_checkpoint().value()->sequence, Log::kEntriesPerCheckpoint);
  std::size_t read = 0;
  Ledger ledger = Ledger::open(std::make_unique<CountingStore>(store(), read)).value();
  EXPECT_EQ(read, 1U + 8U) << "the checkpoint's own entry, and those since";
  EXPECT_EQ(spent(ledger), std::to_string(Log::kEntriesPerCheckpoint + 6));
  EXPECT_TRUE(Ledger::verify(*store()));
  // An open ledger reads what others added, and no more.
  read = 0;
  reach(Log::kEntriesPerCheckpoint + 10);
  EXPECT_EQ(spent(ledger), std::to_string(Log::kEntriesPerCheckpoint + 8));
  EXPECT_EQ(read, 2U);
}

TEST_F(LogTest, ADamagedCheckpointCostsTimeOnly) {
  reach(Log::kEntriesPerCheckpoint + 2);
  edit("UPDATE checkpoints SET body = replace(body, '510', '000')");
  Ledger ledger = Ledger::open(store()).value();
  EXPECT_EQ(spent(ledger), std::to_string(Log::kEntriesPerCheckpoint));
  const auto verified = Ledger::verify(*store());
  ASSERT_FALSE(verified) << "and is found";
  EXPECT_NE(verified.error().where.find("checkpoint of entry 512"), std::string::npos);
}

TEST_F(LogTest, ACheckpointOfAnotherLogIsPassedOver) {
  reach(3);
  const Book stranger;
  edit("INSERT INTO checkpoints VALUES(3, '" + stranger.to_json() + "', x'" +
       Digest::of(stranger.to_json()).hex() + "')");
  Ledger ledger = Ledger::open(store()).value();
  EXPECT_EQ(spent(ledger), "1");
  EXPECT_FALSE(Ledger::verify(*store()));
}

TEST_F(LogTest, AReleaseIsRecordedOnlyUnderTheEntryThatPaid) {
  Ledger ledger = Ledger::open(store()).value();
  const Digest asked = Digest::of("asked");
  const Permit permit =
      ledger.reserve({.account = kVisits, .cost = unit_cost(), .fingerprint = asked}).value();
  const auto refused = [&](const std::string& entry, const Digest& fingerprint) {
    const auto outcome =
        ledger.record_release({.entry = entry, .fingerprint = fingerprint, .bytes = "42"});
    return !outcome && outcome.error().kind == ErrorKind::kBadInput;
  };
  EXPECT_TRUE(refused(permit.entry(), Digest::of("something else")));
  const std::string zeros = Digest{}.hex();
  const std::vector<std::string> wrong = {
      "", ":", "3", "3:", "x:1", "0:" + zeros, "3:" + zeros, "99:" + zeros};
  for (const std::string& entry : wrong) {
    EXPECT_TRUE(refused(entry, asked)) << entry;
  }
  const Head opened = {.sequence = 2, .digest = store()->read(1, 1)->front().digest};
  EXPECT_TRUE(refused("2:" + opened.digest.hex(), asked)) << "no entry that grants a permit";
  const Head outside = ledger.charge({.account = kVisits, .cost = unit_cost()}).value();
  EXPECT_TRUE(refused(std::to_string(outside.sequence) + ":" + outside.digest.hex(), asked));
  EXPECT_TRUE(
      ledger.record_release({.entry = permit.entry(), .fingerprint = asked, .bytes = "42"}));
  EXPECT_FALSE(
      ledger.record_release({.entry = permit.entry(), .fingerprint = asked, .bytes = "43"}))
      << "once";
  EXPECT_EQ(ledger.find_release("visits", asked).value()->bytes, "42");
  EXPECT_EQ(ledger.find_release("nowhere", asked).error().kind, ErrorKind::kBadInput);
}

TEST_F(LogTest, AChangedOrMovedReleaseIsRefused) {
  const Digest asked = Digest::of("asked");
  const Digest other = Digest::of("other");
  {
    Ledger ledger = Ledger::open(store()).value();
    const Permit permit =
        ledger.reserve({.account = kVisits, .cost = unit_cost(), .fingerprint = asked}).value();
    ASSERT_TRUE(
        ledger.record_release({.entry = permit.entry(), .fingerprint = asked, .bytes = "42"}));
    ASSERT_TRUE(ledger.reserve({.account = kVisits, .cost = unit_cost()}));
  }
  edit("INSERT INTO releases SELECT dataset, x'" + other.hex() +
       "', sequence, body, digest FROM releases");
  edit(
      "INSERT INTO releases SELECT dataset, fingerprint, 4, body, digest FROM releases "
      "WHERE fingerprint = x'" +
      asked.hex() + "'");
  Ledger ledger = Ledger::open(store()).value();
  for (const Digest& fingerprint : {asked, other}) {
    const auto found = ledger.find_release("visits", fingerprint);
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().kind, ErrorKind::kWorld) << found.error().message();
  }
  EXPECT_EQ(spent(ledger), "2") << "the log is untouched";
}

}  // namespace
}  // namespace tacit

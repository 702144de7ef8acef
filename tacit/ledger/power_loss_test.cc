#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#include "tacit/ledger/ledger.h"
#include "tacit/ledger/sqlite/sqlite_store.h"
#include "tacit/ledger/testing/scratch.h"
#include "tacit/ledger/testing/vfs_shim.h"

namespace tacit {
namespace {

const AccountId kVisits{.dataset = "visits", .analyst = {}};
constexpr std::size_t kSector = 512;

Cost unit_cost() { return Cost::leaf(cost::Pure{1}).value(); }

void overwrite(std::string& file, std::string_view bytes, std::size_t offset) {
  if (file.size() < offset + bytes.size()) file.resize(offset + bytes.size());
  file.replace(offset, bytes.size(), bytes);
}

// What the disk would hold if power were lost now: all that was flushed, and of the writes since
// then whatever the disk had got to, sector by sector, in any order.
class DiskThatForgets final : public VfsShim {
 public:
  int before_write(const std::string& path, std::span<const char> bytes,
                   sqlite3_int64 offset) override {
    const std::scoped_lock lock(mutex_);
    if (gone_) return SQLITE_IOERR_WRITE;
    if (last_step()) return lose_power();
    // Sectors are numbered from the start of the write, so that small writes tear too.
    for (std::size_t at = 0; at < bytes.size(); at += kSector) {
      const std::string_view sector(bytes.data() + at, std::min(kSector, bytes.size() - at));
      files_[path].pending.push_back({static_cast<std::size_t>(offset) + at, std::string(sector)});
    }
    return SQLITE_OK;
  }
  int before_truncate(const std::string& path, sqlite3_int64 size) override {
    const std::scoped_lock lock(mutex_);
    if (gone_) return SQLITE_IOERR_TRUNCATE;
    files_[path].durable.resize(static_cast<std::size_t>(size));
    return SQLITE_OK;
  }
  int before_sync(const std::string& path) override {
    const std::scoped_lock lock(mutex_);
    if (gone_) return SQLITE_IOERR_FSYNC;
    if (last_step()) return lose_power();
    if (lies_) return SQLITE_OK;
    File& file = files_[path];
    for (const Sector& sector : file.pending) overwrite(file.durable, sector.bytes, sector.offset);
    file.pending.clear();
    return SQLITE_OK;
  }
  int before_delete(const std::string& path) override {
    const std::scoped_lock lock(mutex_);
    if (gone_) return SQLITE_IOERR_DELETE;
    files_.erase(path);
    return SQLITE_OK;
  }

  // From now on a flush does nothing, and says it did.
  void lie() { lies_ = true; }
  // Power goes before the write or flush that comes after that many.
  void lose_power_at(int step) { countdown_ = step; }
  [[nodiscard]] bool lost_power() const { return gone_; }
  // Writes and flushes.
  [[nodiscard]] int steps() const { return steps_; }

  // The files as they are found when power is back. Each unflushed sector made it with even odds.
  void restart(const std::filesystem::path& folder, std::mt19937& coins) const {
    for (const auto& [path, file] : files_) {
      std::string found = file.durable;
      for (const Sector& sector : file.pending) {
        if (coins() % 2 == 0) overwrite(found, sector.bytes, sector.offset);
      }
      std::ofstream(folder / std::filesystem::path(path).filename(), std::ios::binary) << found;
    }
  }

 private:
  struct Sector {
    std::size_t offset;
    std::string bytes;
  };
  struct File {
    std::string durable;
    std::vector<Sector> pending;
  };

  // Counts one step; true where power goes before it.
  bool last_step() {
    ++steps_;
    return countdown_-- == 0;
  }
  int lose_power() {
    gone_ = true;
    return SQLITE_IOERR_WRITE;
  }

  std::mutex mutex_;
  std::map<std::string, File> files_;
  int countdown_ = -1;
  int steps_ = 0;
  bool gone_ = false;
  bool lies_ = false;
};

struct Lived {
  std::uint64_t granted = 0;  // permits that were handed out
  bool opened = false;        // the dataset's account was durable
};

// A life of the ledger on that disk: begun, an account opened, reservations made, until power goes.
Lived live(const std::filesystem::path& file, const std::string& vfs, int reservations) {
  Lived lived;
  auto store = create_sqlite_store(file, {.vfs = vfs});
  if (!store) return lived;
  auto ledger = Ledger::create(*std::move(store), "steward");
  if (!ledger) return lived;
  lived.opened = ledger->create_dataset({.dataset = "visits", .budget = Budget::pure(1000).value()})
                     .has_value();
  for (int i = 0; i < reservations; ++i) {
    if (ledger->reserve({.account = kVisits, .cost = unit_cost()})) ++lived.granted;
  }
  return lived;
}

constexpr int kReservations = 12;

int steps_of_a_life() {
  const Scratch scratch;
  DiskThatForgets disk;
  EXPECT_EQ(live(scratch / "ledger", disk.name(), kReservations).granted, kReservations);
  return disk.steps();
}

Result<Ledger> open(const std::filesystem::path& file) {
  TACIT_ASSIGN_OR_RETURN(auto store, open_sqlite_store(file));
  return Ledger::open(std::move(store));
}

Result<std::uint64_t> spent(Ledger& ledger) {
  TACIT_ASSIGN_OR_RETURN(const Account account, ledger.account(kVisits));
  TACIT_ASSIGN_OR_RETURN(const Spend spend, account.spent());
  return std::stoull(spend.divergences.front().to_string());
}

TEST(PowerLoss, AtEveryWriteAndFlushTheLedgerOpensAndNoPermitIsForgotten) {
  const int steps = steps_of_a_life();
  ASSERT_GT(steps, 6 * kReservations);
  std::mt19937 coins(7);
  int interrupted = 0;
  for (int step = 0; step < steps; ++step) {
    const Scratch before;
    const Scratch after;
    DiskThatForgets disk;
    disk.lose_power_at(step);
    const Lived lived = live(before / "ledger", disk.name(), kReservations);
    ASSERT_TRUE(disk.lost_power());
    disk.restart(after / "", coins);

    auto ledger = open(after / "ledger");
    // Power may go before there is an account, or even a ledger.
    if (!lived.opened) continue;
    ASSERT_TRUE(ledger) << "step " << step << ": " << ledger.error().message();
    ASSERT_GE(spent(*ledger).value(), lived.granted) << "step " << step << ": a permit is lost";
    ASSERT_LE(spent(*ledger).value(), lived.granted + 1) << "step " << step;
    ASSERT_TRUE(ledger->reserve({.account = kVisits, .cost = unit_cost()}))
        << "after a crash the ledger goes on";
    if (lived.granted < kReservations) ++interrupted;
  }
  EXPECT_GT(interrupted, kReservations) << "most steps must fall among the reservations";
}

// The test above can fail: on a disk that only pretends to flush, permits are lost.
TEST(PowerLoss, ADiskThatLiesLosesPermits) {
  const int steps = steps_of_a_life();
  std::mt19937 coins(7);
  int lost = 0;
  for (int step = steps / 2; step < steps; step += 3) {
    const Scratch before;
    const Scratch after;
    DiskThatForgets disk;
    disk.lie();
    disk.lose_power_at(step);
    const Lived lived = live(before / "ledger", disk.name(), kReservations);
    disk.restart(after / "", coins);
    auto ledger = open(after / "ledger");
    if (!ledger || spent(*ledger).value_or(0) < lived.granted) ++lost;
  }
  EXPECT_GT(lost, 0);
}

// The disk is full from some write on.
class FullDisk final : public VfsShim {
 public:
  int before_write(const std::string& /*path*/, std::span<const char> /*bytes*/,
                   sqlite3_int64 /*offset*/) override {
    return full ? SQLITE_FULL : SQLITE_OK;
  }

  std::atomic<bool> full = false;
};

TEST(FullDisk, RefusesEveryPermitAndGoesOnWhenThereIsRoom) {
  const Scratch scratch;
  FullDisk disk;
  Ledger ledger =
      Ledger::create(create_sqlite_store(scratch / "ledger", {.vfs = disk.name()}).value(), "me")
          .value();
  ASSERT_TRUE(ledger.create_dataset({.dataset = "visits", .budget = Budget::pure(10).value()}));
  ASSERT_TRUE(ledger.reserve({.account = kVisits, .cost = unit_cost()}));
  disk.full = true;
  for (int i = 0; i < 5; ++i) {
    const auto permit = ledger.reserve({.account = kVisits, .cost = unit_cost()});
    ASSERT_FALSE(permit);
    EXPECT_EQ(permit.error().kind, ErrorKind::kWorld) << permit.error().message();
  }
  disk.full = false;
  ASSERT_TRUE(ledger.reserve({.account = kVisits, .cost = unit_cost()}));
  EXPECT_EQ(ledger.account(kVisits)->spent()->divergences.front().to_string(), "2");
  EXPECT_TRUE(Ledger::verify(*open_sqlite_store(scratch / "ledger").value()));
}

}  // namespace
}  // namespace tacit

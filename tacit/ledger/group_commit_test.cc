#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "tacit/ledger/ledger.h"
#include "tacit/ledger/sqlite/sqlite_store.h"
#include "tacit/ledger/testing/scratch.h"
#include "tacit/ledger/testing/vfs_shim.h"

namespace tacit {
namespace {

class CountingVfs final : public VfsShim {
 public:
  int before_sync(const std::string& /*path*/) override {
    ++syncs;
    return SQLITE_OK;
  }

  std::atomic<int> syncs = 0;
};

// DESIGN: durable before data is touched, and yet fast: those who wait share the flush.
TEST(GroupCommit, SixteenThreadsShareEachFlushBetweenFourAtLeast) {
  constexpr int kThreads = 16;
  constexpr int kEach = 40;
  const Scratch scratch;
  CountingVfs vfs;
  Ledger ledger =
      Ledger::create(create_sqlite_store(scratch / "ledger.sqlite", {.vfs = vfs.name()}).value(),
                     "steward")
          .value();
  ASSERT_TRUE(ledger.create_dataset({.dataset = "visits", .budget = Budget::pure(1000).value()}));
  const AccountId id = AccountId::parse("visits").value();
  const Cost cost = Cost::leaf(cost::Pure{1}).value();

  const int before = vfs.syncs;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < kEach; ++k) {
        const auto permit = ledger.reserve({.account = id, .cost = cost});
        ASSERT_TRUE(permit) << permit.error().message();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const int syncs = vfs.syncs - before;
  RecordProperty("reservations_per_sync", kThreads * kEach / syncs);
  EXPECT_GE(kThreads * kEach, 4 * syncs);
  EXPECT_EQ(ledger.account(id)->spent()->divergences.front().to_string(),
            std::to_string(kThreads * kEach));
}

}  // namespace
}  // namespace tacit

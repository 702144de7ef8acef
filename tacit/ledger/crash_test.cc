#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "tacit/ledger/ledger.h"
#include "tacit/ledger/sqlite/sqlite_store.h"
#include "tacit/ledger/testing/child.h"
#include "tacit/ledger/testing/scratch.h"

namespace tacit {
namespace {

const AccountId kVisits{.dataset = "visits", .analyst = {}};

Cost unit_cost() { return Cost::leaf(cost::Pure{1}).value(); }

std::uint64_t sequence_of(const Permit& permit) { return std::stoull(permit.entry()); }

std::uint64_t spent(Ledger& ledger) {
  return std::stoull(ledger.account(kVisits)->spent()->divergences.front().to_string());
}

class CrashTest : public testing::Test {
 protected:
  void make(std::int64_t epsilon) {
    Ledger ledger = Ledger::create(create_sqlite_store(file_).value(), "steward").value();
    ASSERT_TRUE(
        ledger.create_dataset({.dataset = "visits", .budget = Budget::pure(epsilon).value()}));
  }
  Result<Ledger> open() {
    TACIT_ASSIGN_OR_RETURN(auto store, open_sqlite_store(file_));
    return Ledger::open(std::move(store));
  }

  Scratch scratch_;
  std::filesystem::path file_ = scratch_ / "ledger.sqlite";
};

TEST_F(CrashTest, KilledAtTwoHundredMomentsNoPermitIsMissingFromTheLog) {
  std::mt19937 moments(1);
  std::uint64_t told = 0;
  for (int round = 0; round < 200; ++round) {
    if (round % 20 == 0) {
      file_ = scratch_ / ("ledger" + std::to_string(round));
      make(1'000'000);
    }
    Child child([&](const Child::Tell& tell) {
      auto ledger = open();
      if (!ledger) ::_exit(3);
      for (int i = 0; i < 6; ++i) {
        const auto permit = ledger->reserve({.account = kVisits, .cost = unit_cost()});
        if (!permit) ::_exit(4);
        tell(sequence_of(*permit));
      }
      ::pause();
    });
    // One in four dies while it opens the ledger, the others after a few reservations.
    std::vector<std::uint64_t> granted(round % 4 == 0 ? 0 : 1 + moments() % 4);
    for (std::uint64_t& sequence : granted) ASSERT_TRUE(child.hear(sequence));
    std::this_thread::sleep_for(std::chrono::microseconds(moments() % 2'000));
    child.kill();
    for (const std::uint64_t sequence : child.join()) granted.push_back(sequence);
    told += granted.size();

    auto ledger = open();
    ASSERT_TRUE(ledger) << "after a kill the ledger opens: " << ledger.error().message();
    const Head head = ledger->head().value();
    for (const std::uint64_t sequence : granted) ASSERT_LE(sequence, head.sequence) << round;
    ASSERT_EQ(spent(*ledger), head.sequence - 2) << "every entry but the first two is one charge";
    ASSERT_TRUE(Ledger::verify(*open_sqlite_store(file_).value()));
  }
  EXPECT_GT(told, 300U) << "too few reservations to be interrupted";
}

TEST_F(CrashTest, EightProcessesRaceForTheLastOfTheBudget) {
  constexpr int kProcesses = 8;
  constexpr int kEach = 500;
  constexpr std::uint64_t kBudget = 1500;
  make(kBudget);
  std::vector<std::unique_ptr<Child>> children;
  for (int i = 0; i < kProcesses; ++i) {
    children.push_back(std::make_unique<Child>([&](const Child::Tell& tell) {
      auto ledger = open();
      if (!ledger) ::_exit(3);
      for (int k = 0; k < kEach; ++k) {
        const auto permit = ledger->reserve({.account = kVisits, .cost = unit_cost()});
        if (permit) tell(sequence_of(*permit));
        if (!permit && permit.error().kind != ErrorKind::kBudget) ::_exit(4);
      }
    }));
  }
  std::vector<std::uint64_t> granted;
  for (const auto& child : children) {
    const auto told = child->join();
    EXPECT_TRUE(child->ended_well()) << "a process met something other than a refusal";
    granted.insert(granted.end(), told.begin(), told.end());
  }
  std::ranges::sort(granted);
  EXPECT_EQ(granted.size(), kBudget) << "4000 asked for 1500";
  EXPECT_EQ(std::ranges::adjacent_find(granted), granted.end()) << "one entry, one permit";
  auto ledger = open().value();
  EXPECT_EQ(spent(ledger), kBudget);
  EXPECT_EQ(ledger.head()->sequence, kBudget + 2);
  EXPECT_TRUE(Ledger::verify(*open_sqlite_store(file_).value()));
}

}  // namespace
}  // namespace tacit

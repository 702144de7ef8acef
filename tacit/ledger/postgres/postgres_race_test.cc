#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "tacit/ledger/ledger.h"
#include "tacit/ledger/postgres/testing/postgres_schema.h"
#include "tacit/ledger/testing/child.h"

namespace tacit {
namespace {

constexpr int kProcesses = 8;
constexpr int kEach = 50;
constexpr std::uint64_t kBudget = 150;

const AccountId kVisits{.dataset = "visits", .analyst = {}};

std::uint64_t sequence_of(const Permit& permit) { return std::stoull(permit.entry()); }

// Processes that race for a budget which does not last, on a real server.
class PostgresRaceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (PostgresSchema::uri().empty()) {
      GTEST_SKIP() << "no server: run under scripts/with-postgres (sets TACIT_TEST_POSTGRES)";
    }
    Ledger ledger = Ledger::create(schema_.create().value(), "steward").value();
    ASSERT_TRUE(
        ledger.create_dataset({.dataset = "visits", .budget = Budget::pure(kBudget).value()}));
  }

  [[nodiscard]] Result<Ledger> open() const {
    TACIT_ASSIGN_OR_RETURN(
        auto store,
        open_postgres_store(PostgresSchema::uri() + "&application_name=" + schema_.name(),
                            schema_.options()));
    return Ledger::open(std::move(store));
  }

  // Each child tells the entries that it got permits for. A failing world is met with another try.
  [[nodiscard]] std::vector<std::unique_ptr<Child>> race() const {
    std::vector<std::unique_ptr<Child>> children;
    for (int i = 0; i < kProcesses; ++i) {
      children.push_back(std::make_unique<Child>([this](const Child::Tell& tell) {
        auto ledger = open();
        for (int k = 0; k < kEach; ++k) {
          if (!ledger) {
            ledger = open();
            continue;
          }
          const auto permit =
              ledger->reserve({.account = kVisits, .cost = Cost::leaf(cost::Pure{1}).value()});
          if (permit) tell(sequence_of(*permit));
        }
      }));
    }
    return children;
  }

  // Every permit has an entry of its own; what is spent is within the cap and at least what was
  // granted.
  void check(std::vector<std::uint64_t> granted) const {
    std::ranges::sort(granted);
    EXPECT_EQ(std::ranges::adjacent_find(granted), granted.end()) << "one entry, one permit";
    auto ledger = open();
    ASSERT_TRUE(ledger) << ledger.error().message();
    const std::uint64_t entries = ledger->head()->sequence;
    EXPECT_LE(entries, kBudget + 2);
    EXPECT_GE(entries, granted.size() + 2);
    for (const std::uint64_t sequence : granted) EXPECT_LE(sequence, entries);
    EXPECT_TRUE(Ledger::verify(*schema_.open().value()));
  }

  PostgresSchema schema_;
};

TEST_F(PostgresRaceTest, EightProcessesGetTheBudgetAndNoMore) {
  std::vector<std::uint64_t> granted;
  for (const auto& child : race()) {
    const auto told = child->join();
    EXPECT_TRUE(child->ended_well());
    granted.insert(granted.end(), told.begin(), told.end());
  }
  EXPECT_EQ(granted.size(), kBudget) << "400 asked for 150";
  check(granted);
}

TEST_F(PostgresRaceTest, SessionsKilledAtAnyMomentWasteAtMost) {
  const auto children = race();
  for (int round = 0; round < 20; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_TRUE(PostgresSchema::execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '" +
        schema_.name() + "'"));
  }
  std::vector<std::uint64_t> granted;
  for (const auto& child : children) {
    const auto told = child->join();
    granted.insert(granted.end(), told.begin(), told.end());
  }
  EXPECT_FALSE(granted.empty());
  check(granted);
}

TEST_F(PostgresRaceTest, ProcessesKilledAtAnyMomentLeaveALedgerThatOpens) {
  std::vector<std::uint64_t> granted;
  {
    const auto children = race();
    for (int i = 0; i < kProcesses; ++i) {
      std::uint64_t first = 0;
      if (i % 2 == 0 && children[static_cast<std::size_t>(i)]->hear(first))
        granted.push_back(first);
      children[static_cast<std::size_t>(i)]->kill();
    }
    for (const auto& child : children) {
      const auto told = child->join();
      granted.insert(granted.end(), told.begin(), told.end());
    }
  }
  check(granted);
}

}  // namespace
}  // namespace tacit

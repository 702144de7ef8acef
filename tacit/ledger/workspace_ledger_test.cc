#include "tacit/ledger/workspace_ledger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tacit/ledger/postgres/testing/postgres_schema.h"
#include "tacit/ledger/sqlite/sqlite_store.h"
#include "tacit/ledger/testing/scratch.h"

namespace tacit {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::string_view kClinic = R"(
[datasets.patients]
neighbours = "add_remove"
epsilon = 3
delta = 1e-6
parts = {by = "hospital", names = ["north", "south"]}
analysts = {alice = {epsilon = 1}}
)";

class WorkspaceLedgerTest : public ::testing::Test {
 protected:
  [[nodiscard]] Workspace workspace(std::string_view text = kClinic) const {
    return Workspace::parse(text, scratch_ / "tacit.toml").value();
  }

  static std::vector<std::string> opened(const Founding& founding) {
    std::vector<std::string> names;
    for (const AccountId& id : founding.opened) names.push_back(id.to_string());
    return names;
  }

  Scratch scratch_;
};

TEST_F(WorkspaceLedgerTest, OpensEveryDeclaredAccountOnce) {
  const auto first = found_ledger(workspace(), true, "steward");
  ASSERT_TRUE(first) << first.error().message();
  EXPECT_TRUE(first->began);
  EXPECT_THAT(opened(*first), ElementsAre("patients", "patients/alice"));

  const auto again = found_ledger(workspace(), true, "steward");
  ASSERT_TRUE(again);
  EXPECT_FALSE(again->began);
  EXPECT_THAT(opened(*again), IsEmpty());
  EXPECT_EQ(again->head, first->head);

  Ledger ledger = open_ledger(workspace()).value();
  const Account patients = ledger.account(AccountId::parse("patients").value()).value();
  EXPECT_EQ(patients.budget, Budget::approximate(3, Rational::parse("1e-6").value()).value());
  EXPECT_THAT(patients.parts, ElementsAre("north", "south"));
  EXPECT_EQ(ledger.history(2, 1)->front().note, "parts by hospital");
}

TEST_F(WorkspaceLedgerTest, AddsWhatIsNewAndKeepsWhatIsThere) {
  ASSERT_TRUE(found_ledger(workspace(), true, "steward"));
  const Workspace edited = workspace(R"(
[datasets.patients]
neighbours = "add_remove"
epsilon = 30
delta = 1e-6
analysts = {alice = {epsilon = 20}, bob = {epsilon = 1}}
[datasets.visits]
neighbours = "replace"
epsilon = 1
)");
  const auto founding = found_ledger(edited, false, "steward");
  ASSERT_TRUE(founding) << founding.error().message();
  EXPECT_THAT(opened(*founding), ElementsAre("patients/bob", "visits"));
  Ledger ledger = open_ledger(edited).value();
  EXPECT_EQ(ledger.account(AccountId::parse("patients").value())->budget.epsilon(), Rational(3));
  EXPECT_EQ(ledger.account(AccountId::parse("patients/alice").value())->budget.epsilon(),
            Rational(1));
}

TEST_F(WorkspaceLedgerTest, NeverMakesALostLedgerAnew) {
  EXPECT_FALSE(open_ledger(workspace()));
  EXPECT_FALSE(found_ledger(workspace(), false, "steward"));
  EXPECT_FALSE(std::filesystem::exists(workspace().ledger_file()));
}

TEST_F(WorkspaceLedgerTest, GoesOnAfterACrashBetweenTheStoreAndItsFirstEntry) {
  ASSERT_TRUE(create_sqlite_store(workspace().ledger_file()));
  EXPECT_FALSE(found_ledger(workspace(), false, "steward"));
  const auto founding = found_ledger(workspace(), true, "steward");
  ASSERT_TRUE(founding) << founding.error().message();
  EXPECT_TRUE(founding->began);
  EXPECT_EQ(founding->head.sequence, 3U);
}

TEST_F(WorkspaceLedgerTest, MakesNothingForABudgetThatCannotBe) {
  Workspace absurd = workspace();
  absurd.datasets.front().budget.epsilon = Rational::parse("1e300").value();
  EXPECT_FALSE(found_ledger(absurd, true, "steward"));
  EXPECT_FALSE(std::filesystem::exists(absurd.ledger_file()));
}

TEST_F(WorkspaceLedgerTest, WritesItsFileOnceAndWhole) {
  ASSERT_TRUE(workspace().save_new());
  EXPECT_EQ(Workspace::read(scratch_ / "tacit.toml").value(), workspace());
  const auto again = workspace().save_new();
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().exit_status(), 2);
  Workspace nowhere = workspace();
  nowhere.folder = scratch_ / "absent";
  EXPECT_EQ(nowhere.save_new().error().exit_status(), 3);
}

TEST_F(WorkspaceLedgerTest, FoundsALedgerOnAServer) {
  if (PostgresSchema::uri().empty()) {
    GTEST_SKIP() << "no server: run under scripts/with-postgres (sets TACIT_TEST_POSTGRES)";
  }
  const PostgresSchema schema;
  Workspace server = workspace();
  server.ledger = PostgresLedger{.uri = PostgresSchema::uri(), .schema = schema.name()};
  const auto lost = open_ledger(server);
  ASSERT_FALSE(lost);
  EXPECT_THAT(lost.error().message(), HasSubstr("tacit init"));
  EXPECT_FALSE(found_ledger(server, false, "steward"));
  const auto founding = found_ledger(server, true, "steward");
  ASSERT_TRUE(founding) << founding.error().message();
  EXPECT_TRUE(founding->began);
  EXPECT_FALSE(found_ledger(server, true, "steward")->began);
  EXPECT_TRUE(open_ledger(server));
}

}  // namespace
}  // namespace tacit

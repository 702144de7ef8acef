// A Spark server that dies while it answers. The test kills it, so it runs only where
// TACIT_TEST_SPARK_VICTIM names the process of the server at TACIT_TEST_SPARK.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "tacit/ledger/sqlite/sqlite_store.h"
#include "tacit/ledger/testing/scratch.h"
#include "tacit/sql/ask.h"

namespace tacit::sql {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// One person, whose rows joined with themselves are more than any server counts in an hour.
constexpr const char* kRows =
    "CREATE TABLE many AS SELECT CAST(1 AS BIGINT) AS person, id AS number FROM range(3000000)";
constexpr const char* kEndless =
    "SELECT count(*) FROM many a JOIN many b ON a.person = b.person AND a.number <> b.number";

Schema town() {
  const auto column = [](const char* name) {
    return Column{name, kIntegerType, std::nullopt, std::nullopt, {}};
  };
  return {.dataset = "town",
          .tables = {{"many",
                      "many",
                      {.kind = Unit::Kind::kColumns, .columns = {"person"}},
                      {column("person"), column("number")}}}};
}

TEST(SparkGone, IsSaidAndStaysChargedOnce) {
  const char* const uri = std::getenv("TACIT_TEST_SPARK");
  const char* const victim = std::getenv("TACIT_TEST_SPARK_VICTIM");
  const pid_t server = victim == nullptr ? 0 : std::atoi(victim);
  if (uri == nullptr || server <= 0) GTEST_SKIP() << "no server that may die";
  auto engine = Engine::spark(uri);
  ASSERT_TRUE(engine) << engine.error().message();
  ASSERT_TRUE(engine->execute(kRows)) << engine->steward_detail();
  auto embedded = Engine::duckdb_in_memory(Engine::Files::kRefused);
  const Scratch scratch;
  auto ledger = Ledger::create(*create_sqlite_store(scratch / "ledger.sqlite"), "steward");
  ASSERT_TRUE(embedded && ledger);
  ASSERT_TRUE(ledger->create_dataset({.dataset = "town", .budget = *Budget::pure(10)}));
  const Schema schema = town();
  const auto plan = prepare(kEndless, schema,
                            {.epsilon = Rational(1), .bounds = {.rows_per_group = 1}}, *embedded);
  ASSERT_TRUE(plan) << plan.error().message();
  const auto entries = [&] { return ledger->head()->sequence; };
  const auto ask_again = [&] {
    return ask(*plan, {.account = {.dataset = "town"}, .who = "ana"}, *ledger, *engine, *embedded);
  };
  const auto before = entries();

  std::jthread killer([server] {
    std::this_thread::sleep_for(std::chrono::seconds(5));
    ::kill(server, SIGKILL);
  });
  const auto failed = ask_again();
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().exit_status(), 3);
  EXPECT_THAT(failed.error().message(), HasSubstr("the engine failed to answer"));
  EXPECT_THAT(failed.error().message(), HasSubstr("stays charged"));
  EXPECT_EQ(entries(), before + 1);

  // While it is away, nothing more is charged.
  killer.join();
  const auto refused = ask_again();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().exit_status(), 3);
  EXPECT_THAT(refused.error().message(), HasSubstr("cannot be opened"));
  EXPECT_THAT(refused.error().message(), Not(HasSubstr("stays charged")));
  EXPECT_EQ(entries(), before + 1);
}

}  // namespace
}  // namespace tacit::sql

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "tacit/data/engine.h"
#include "tacit/data/testing/postgres_server.h"

namespace tacit {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class PostgresSessionTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (PostgresServer::uri().empty()) {
      GTEST_SKIP() << "no server: run under scripts/with-postgres (sets TACIT_TEST_POSTGRES)";
    }
    engine_.emplace(open(PostgresServer::uri()));
  }

  static Engine open(const std::string& uri) {
    auto engine = Engine::postgres(uri);
    if (!engine) ADD_FAILURE() << engine.error().message();
    return *std::move(engine);
  }

  Cell value(const std::string& sql) {
    const auto table = engine_->query(sql);
    EXPECT_TRUE(table) << sql << "\n" << engine_->steward_detail();
    return table ? table->columns[0][0] : Cell();
  }

  // Ends the server's side of the session, as a restart or an administrator would.
  void end_session(const Cell& process) {
    const auto number = static_cast<std::int64_t>(std::get<int128>(process));
    ASSERT_TRUE(
        PostgresServer::execute("SELECT pg_terminate_backend(" + std::to_string(number) + ")"));
  }

  std::optional<Engine> engine_;
};

constexpr auto kMoment = std::chrono::milliseconds(200);
constexpr const char* kProcess = "SELECT pg_backend_pid()";

TEST_F(PostgresSessionTest, SettingsAreOursWhateverTheServersAre) {
  engine_.emplace(open(PostgresServer::uri() +
                       "&options=-c%20DateStyle%3DGerman%20-c%20TimeZone%3DAsia/Tokyo%20-c%20"
                       "standard_conforming_strings%3Doff%20-c%20extra_float_digits%3D-3"));
  EXPECT_EQ(value("SELECT CAST(DATE '2020-02-01' AS text)"), Cell(std::string("2020-02-01")));
  EXPECT_EQ(value("SELECT CAST(TIMESTAMPTZ '2020-02-01 00:00:00+00' AS timestamp)::text"),
            Cell(std::string("2020-02-01 00:00:00")));
  EXPECT_EQ(value("SELECT 'a\\b'"), Cell(std::string("a\\b")));
  EXPECT_EQ(value("SELECT (0.1::double precision + 0.2::double precision)::text"),
            Cell(std::string("0.30000000000000004")));
}

TEST_F(PostgresSessionTest, NothingIsWritten) {
  EXPECT_FALSE(engine_->execute("CREATE TABLE public.made (a integer)"));
  EXPECT_FALSE(
      engine_->execute("SELECT set_config('transaction_read_only', 'off', false), "
                       "pg_advisory_lock(1); CREATE TABLE public.made (a integer)"));
}

// A function of the same name that fits better would run with our rights.
TEST_F(PostgresSessionTest, FunctionsOfOtherSchemasAreNotFound) {
  ASSERT_TRUE(PostgresServer::execute(
      "CREATE OR REPLACE FUNCTION public.concat(text, text) RETURNS text LANGUAGE sql AS "
      "'SELECT ''theirs''::text'"));
  EXPECT_EQ(value("SELECT concat('a'::text, 'b'::text)"), Cell(std::string("ab")));
  ASSERT_TRUE(PostgresServer::execute("DROP FUNCTION public.concat(text, text)"));
}

TEST_F(PostgresSessionTest, ASessionThatEndsInMidQueryIsOneFixedErrorAndTheNextQueryWorks) {
  const Cell process = value(kProcess);
  std::jthread other([&] {
    std::this_thread::sleep_for(kMoment);
    end_session(process);
  });
  const auto table = engine_->query("SELECT 'secret' FROM pg_sleep(60)");
  ASSERT_FALSE(table);
  EXPECT_EQ(table.error().what, "the engine failed to answer");
  EXPECT_EQ(table.error().exit_status(), 3);
  EXPECT_THAT(table.error().message(), Not(HasSubstr("administrator")));
  EXPECT_NE(value(kProcess), process);
  EXPECT_EQ(value("SELECT current_setting('default_transaction_read_only')"),
            Cell(std::string("on")));
}

TEST_F(PostgresSessionTest, ASessionThatEndsBetweenQueriesCostsOneError) {
  end_session(value(kProcess));
  std::this_thread::sleep_for(kMoment);
  EXPECT_FALSE(engine_->query("SELECT 1"));
  EXPECT_EQ(value("SELECT 1"), Cell(int128{1}));
}

TEST_F(PostgresSessionTest, CancelsARunningQueryAndKeepsTheSession) {
  const Cell process = value(kProcess);
  std::jthread other([&] {
    std::this_thread::sleep_for(kMoment);
    engine_->cancel();
  });
  const auto table = engine_->query("SELECT 1 FROM pg_sleep(60)");
  ASSERT_FALSE(table);
  EXPECT_THAT(table.error().message(), HasSubstr("cancelled"));
  other.join();
  EXPECT_EQ(value(kProcess), process);
}

TEST_F(PostgresSessionTest, ATimeLimitOfTheAddressHolds) {
  engine_.emplace(open(PostgresServer::uri() + "&options=-c%20statement_timeout%3D200"));
  EXPECT_FALSE(engine_->query("SELECT 1 FROM pg_sleep(60)"));
  EXPECT_THAT(engine_->steward_detail(), HasSubstr("timeout"));
}

TEST_F(PostgresSessionTest, OptionsOfTlsAreHeeded) {
  std::string uri = PostgresServer::uri();
  const std::size_t root = uri.find("sslrootcert=");
  ASSERT_NE(root, std::string::npos);
  uri = uri.substr(0, root) + "sslrootcert=/nowhere.crt";
  const auto engine = Engine::postgres(uri);
  ASSERT_FALSE(engine);
  EXPECT_EQ(engine.error().exit_status(), 3);
  EXPECT_THAT(engine.error().message(), HasSubstr("/nowhere.crt"));
  EXPECT_EQ(value("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()"), Cell(true));
}

TEST_F(PostgresSessionTest, AWrongPasswordIsSaidWithoutIt) {
  const std::string right = std::getenv("PGPASSWORD");
  ASSERT_EQ(::setenv("PGPASSWORD", "wrong-one", 1), 0);
  const auto engine = Engine::postgres(PostgresServer::uri());
  ASSERT_EQ(::setenv("PGPASSWORD", right.c_str(), 1), 0);
  ASSERT_FALSE(engine);
  EXPECT_THAT(engine.error().message(), Not(HasSubstr("wrong-one")));
}

TEST_F(PostgresSessionTest, ADatabaseThatIsNotUtf8IsRefused) {
  const std::string name = "latin_" + std::to_string(::getpid());
  ASSERT_TRUE(PostgresServer::execute("CREATE DATABASE " + name +
                                      " TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'"));
  std::string uri = PostgresServer::uri();
  uri.replace(uri.find("/postgres?"), 10, "/" + name + "?");
  {
    const auto engine = Engine::postgres(uri);
    ASSERT_FALSE(engine);
    EXPECT_THAT(engine.error().message(), HasSubstr("UTF-8"));
  }
  EXPECT_TRUE(PostgresServer::execute("DROP DATABASE " + name + " WITH (FORCE)"));
}

}  // namespace
}  // namespace tacit

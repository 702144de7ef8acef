#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <chrono>
#include <thread>

#include "tacit/data/adbc_driver_internal.h"
#include "tacit/data/arrow_reader_internal.h"
#include "tacit/ledger/testing/scratch.h"

namespace tacit::adbc {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(AdbcDriver, FoldersAreTheNamedOneOrThoseOfTheInstallation) {
  ASSERT_EQ(::setenv("TACIT_DRIVERS", "/somewhere", 1), 0);
  EXPECT_THAT(driver_folders(), ElementsAre("/somewhere"));
  ASSERT_EQ(::unsetenv("TACIT_DRIVERS"), 0);
  EXPECT_THAT(driver_folders(), Contains(std::filesystem::path(TACIT_BUILT_DRIVERS)));
}

TEST(AdbcDriver, ALibraryThatIsNoneIsSaid) {
  const auto driver = Driver::load("libduckdb.so", "no_such_entry");
  ASSERT_FALSE(driver);
  EXPECT_EQ(driver.error().exit_status(), 3);
  EXPECT_THAT(driver.error().what, HasSubstr("no ADBC driver"));
}

// A session with the server that scripts/with-postgres started.
class PostgresDriverTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* const uri = std::getenv("TACIT_TEST_POSTGRES");
    if (uri == nullptr) {
      GTEST_SKIP() << "no server: run under scripts/with-postgres (sets TACIT_TEST_POSTGRES)";
    }
    auto driver = Driver::load("libadbc_driver_postgresql.so", "AdbcDriverPostgresqlInit");
    ASSERT_TRUE(driver) << driver.error().message();
    auto opened = Connection::open(*std::move(driver), {{"uri", uri}});
    ASSERT_TRUE(opened) << opened.error().text;
    connection_ = *std::move(opened);
  }

  Outcome<Table> query(const std::string& sql) {
    auto statement = Statement::make(*connection_);
    if (!statement) return std::unexpected(statement.error());
    auto stream = (*statement)->query(sql);
    if (!stream) return std::unexpected(stream.error());
    return read_table(*std::move(stream));
  }

  std::unique_ptr<Connection> connection_;
};

TEST_F(PostgresDriverTest, ReadsItsTypes) {
  const auto table = query(
      "SELECT 1::smallint, 2::integer, 3::bigint, 1.5::real, 2.5::double precision, 'x'::text, "
      "true, DATE '1969-12-31', TIMESTAMP '1969-12-31 23:59:59.5', "
      "TIMESTAMPTZ '1969-12-31 23:59:59.5+00', NULL::bigint");
  ASSERT_TRUE(table) << table.error().text;
  std::vector<Cell> row;
  for (const auto& column : table->columns) row.push_back(column.front());
  EXPECT_EQ(row, (std::vector<Cell>{int128{1}, int128{2}, int128{3}, 1.5, 2.5, std::string("x"),
                                    true, int128{-1}, int128{-500'000}, int128{-500'000}, Cell()}));
}

// A numeric arrives as text, and a sum of integers is a numeric.
TEST_F(PostgresDriverTest, NumericsBecomeDecimals) {
  const auto table = query(
      "SELECT sum(x), sum(x * 0.25) FROM (VALUES (9223372036854775807::bigint), "
      "(9223372036854775807)) AS t(x)");
  ASSERT_TRUE(table) << table.error().text;
  EXPECT_EQ(table->fields[0].type, (Type{TypeKind::kDecimal, 38, 0}));
  EXPECT_EQ(table->columns[0][0], Cell(int128{9223372036854775807} * 2));
  EXPECT_EQ(table->fields[1].type, (Type{TypeKind::kDecimal, 38, 2}));
  EXPECT_EQ(table->columns[1][0], Cell(int128{9223372036854775807} * 50));
  EXPECT_FALSE(query("SELECT 'NaN'::numeric"));
}

TEST_F(PostgresDriverTest, AFailureIsTheStewardsAndTheNextQueryWorks) {
  const auto failed = query("SELECT CAST(x AS integer) FROM (VALUES ('secret')) AS t(x)");
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().text, HasSubstr("secret"));
  EXPECT_TRUE(query("SELECT 1"));
}

TEST_F(PostgresDriverTest, CancelsARunningQuery) {
  auto statement = Statement::make(*connection_);
  ASSERT_TRUE(statement);
  std::jthread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    EXPECT_TRUE((*statement)->cancel());
  });
  auto stream = (*statement)->query("SELECT pg_sleep(60), 1 AS a");
  EXPECT_FALSE(stream && read_table(*std::move(stream)));
  other.join();
  EXPECT_TRUE(query("SELECT 1"));
}

}  // namespace
}  // namespace tacit::adbc

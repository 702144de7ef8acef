#include "tacit/ledger/sqlite/sqlite_store.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <fstream>
#include <memory>

#include "tacit/ledger/testing/scratch.h"
#include "tacit/ledger/testing/store_suite.h"

namespace tacit {
namespace {

bool run_sql(const std::filesystem::path& file, const std::string& sql) {
  sqlite3* handle = nullptr;
  sqlite3_open(file.c_str(), &handle);
  const int status = sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, nullptr);
  sqlite3_close(handle);
  return status == SQLITE_OK;
}

class SqlitePlace final : public StorePlace {
 public:
  Result<std::unique_ptr<Store>> create() override { return create_sqlite_store(file_); }
  Result<std::unique_ptr<Store>> open() override { return open_sqlite_store(file_); }
  bool run_by_hand(const std::string& sql) override { return run_sql(file_, sql); }

 private:
  Scratch scratch_;
  std::filesystem::path file_ = scratch_ / "ledger.sqlite";
};

INSTANTIATE_TEST_SUITE_P(Sqlite, StoreSuite,
                         testing::Values(StoreUnderTest{
                             "SQLite", [] { return std::make_unique<SqlitePlace>(); }}),
                         [](const auto& instance) { return instance.param.name; });

TEST(SqliteStore, IsPrivateToItsOwner) {
  const Scratch scratch;
  ASSERT_TRUE(create_sqlite_store(scratch / "ledger.sqlite"));
  EXPECT_EQ(std::filesystem::status(scratch / "ledger.sqlite").permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

TEST(SqliteStore, RefusesAMissingFileAndMakesNone) {
  const Scratch scratch;
  const auto store = open_sqlite_store(scratch / "missing");
  ASSERT_FALSE(store);
  EXPECT_EQ(store.error().kind, ErrorKind::kBadInput);
  EXPECT_FALSE(std::filesystem::exists(scratch / "missing"));
}

TEST(SqliteStore, RefusesAFileOfAnotherProgram) {
  const Scratch scratch;
  ASSERT_TRUE(run_sql(scratch / "other", "CREATE TABLE t(x)"));
  EXPECT_EQ(open_sqlite_store(scratch / "other").error().kind, ErrorKind::kBadInput);
  std::ofstream(scratch / "text") << std::string(5000, 'x');
  EXPECT_EQ(open_sqlite_store(scratch / "text").error().kind, ErrorKind::kWorld);
}

TEST(SqliteStore, RefusesANewerFormatAndLeavesItAlone) {
  const Scratch scratch;
  const auto file = scratch / "ledger.sqlite";
  ASSERT_TRUE(create_sqlite_store(file));
  ASSERT_TRUE(run_sql(file, "PRAGMA user_version = 33686018")) << "0x02020202, format 2";
  const auto size = std::filesystem::file_size(file);
  const auto store = open_sqlite_store(file);
  ASSERT_FALSE(store);
  EXPECT_EQ(store.error().kind, ErrorKind::kBadInput);
  EXPECT_EQ(std::filesystem::file_size(file), size);
}

TEST(SqliteStore, AFolderThatDoesNotExistIsTheWorldsFault) {
  const Scratch scratch;
  EXPECT_EQ(create_sqlite_store(scratch / "no/such/ledger.sqlite").error().kind, ErrorKind::kWorld);
}

}  // namespace
}  // namespace tacit

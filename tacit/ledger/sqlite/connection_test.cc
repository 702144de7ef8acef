#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "tacit/ledger/sqlite/connection_internal.h"
#include "tacit/ledger/testing/scratch.h"

namespace tacit::sqlite {
namespace {

TEST(SqliteConnection, OpensWhatIsThereAndMakesNothing) {
  const Scratch scratch;
  const auto absent = Connection::open(scratch / "absent", "");
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().kind, ErrorKind::kWorld);
  EXPECT_EQ(absent.error().where, (scratch / "absent").string());
  EXPECT_FALSE(std::filesystem::exists(scratch / "absent"));
  EXPECT_FALSE(Connection::open(scratch / "absent", "no such file layer"));
}

TEST(SqliteConnection, BindsAndReadsEveryByte) {
  Connection connection = Connection::in_memory().value();
  ASSERT_TRUE(connection.run("CREATE TABLE t(number INTEGER, words TEXT, bytes BLOB)"));
  const std::string words("a \0 'quoted' é", 14);
  const std::vector<std::uint8_t> bytes = {0, 255, 39, 0};
  {
    Statement insert = connection.prepare("INSERT INTO t VALUES(?1, ?2, ?3)").value();
    ASSERT_TRUE(insert.bind(1, INT64_MIN));
    ASSERT_TRUE(insert.bind_text(2, words));
    ASSERT_TRUE(insert.bind_blob(3, bytes));
    EXPECT_FALSE(insert.step().value()) << "an INSERT gives no row";
    insert.reset();
    EXPECT_FALSE(insert.step().value()) << "a reset statement has forgotten its parameters";
  }
  Statement rows = connection.prepare("SELECT * FROM t ORDER BY number DESC").value();
  ASSERT_TRUE(rows.step().value());
  EXPECT_EQ(rows.integer(0), INT64_MIN);
  EXPECT_EQ(rows.bytes(1), words);
  EXPECT_EQ(rows.bytes(2), std::string_view("\0\xff'\0", 4));
  ASSERT_TRUE(rows.step().value());
  EXPECT_TRUE(rows.is_null(1));
  EXPECT_TRUE(rows.bytes(1).empty());
  EXPECT_FALSE(rows.step().value());
}

TEST(SqliteConnection, ErrorsAreValuesThatSayWhereAndWhatToDo) {
  const Scratch scratch;
  std::ofstream(scratch / "text") << std::string(5000, 'x');
  Connection connection = Connection::open(scratch / "text", "").value();
  const auto read = connection.integer("SELECT count(*) FROM sqlite_schema");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().kind, ErrorKind::kWorld);
  EXPECT_EQ(read.error().where, (scratch / "text").string());
  EXPECT_NE(read.error().remedy.find("restore"), std::string::npos);

  Connection memory = Connection::in_memory().value();
  EXPECT_FALSE(memory.run("no SQL"));
  EXPECT_FALSE(memory.prepare("SELECT * FROM nothing"));
  EXPECT_FALSE(memory.integer("SELECT 1 WHERE 0")) << "no row";
  EXPECT_EQ(memory.text("SELECT 'x'").value(), "x");
}

}  // namespace
}  // namespace tacit::sqlite

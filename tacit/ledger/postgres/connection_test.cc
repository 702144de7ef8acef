#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tacit/ledger/postgres/connection_internal.h"
#include "tacit/ledger/postgres/testing/postgres_schema.h"

namespace tacit::postgres {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(PostgresParameter, WritesIntegersAsTheServerReadsThem) {
  const Parameter one = Parameter::integer(1);
  EXPECT_EQ(std::string(one.data(), static_cast<std::size_t>(one.size())),
            std::string("\0\0\0\0\0\0\0\1", 8));
  const Parameter last = Parameter::integer(-1);
  EXPECT_EQ(std::string(last.data(), static_cast<std::size_t>(last.size())),
            std::string(8, '\xff'));
  EXPECT_EQ(Parameter::null().data(), nullptr);
  EXPECT_NE(Parameter::bytes("").data(), nullptr) << "empty is not null";
}

TEST(PostgresUri, IsRefusedWithoutRepeatingIt) {
  for (const char* const uri : {"postgresql://tacit:hunter2/x@db.example.org/tacit",
                                "postgresql://tacit:hunter2@db@example.org/tacit",
                                "postgresql://[::1", "host=db hunter2"}) {
    const auto connection = Connection::open(uri);
    ASSERT_FALSE(connection) << uri;
    EXPECT_EQ(connection.error().kind, ErrorKind::kBadInput);
    EXPECT_THAT(connection.error().message(), Not(HasSubstr("hunter2")));
  }
}

TEST(PostgresUri, KnowsWhatIsSecret) {
  const ConnectionOptions options = parse_uri("postgresql://tacit:hunter2@db/tacit");
  ASSERT_TRUE(options);
  for (const PQconninfoOption* option = options.get(); option->keyword != nullptr; ++option) {
    const std::string_view key = option->keyword;
    if (key == "password" || key == "user") {
      EXPECT_EQ(is_secret(*option), key == "password");
    }
  }
  EXPECT_FALSE(parse_uri("postgresql://[::1"));
}

TEST(PostgresConnection, ASilentServerIsTheWorldsFault) {
  const auto connection = Connection::open("postgresql://tacit@127.0.0.1:1/tacit");
  ASSERT_FALSE(connection);
  EXPECT_EQ(connection.error().kind, ErrorKind::kWorld);
  EXPECT_THAT(connection.error().where, HasSubstr("tacit@127.0.0.1:1"));
}

TEST(PostgresConnection, CarriesParametersStatesAndWarnings) {
  if (PostgresSchema::uri().empty()) {
    GTEST_SKIP() << "no server: run under scripts/with-postgres (sets TACIT_TEST_POSTGRES)";
  }
  Connection connection = Connection::open(PostgresSchema::uri()).value();
  const std::string bytes("\0\xff'", 3);
  const std::vector<Parameter> parameters = {Parameter::integer(-7), Parameter::bytes(bytes),
                                             Parameter::null()};
  const Rows rows =
      connection.execute("SELECT $1::bigint, $2::bytea, $3::bytea", parameters).value();
  ASSERT_EQ(rows.size(), 1);
  EXPECT_EQ(rows.integer(0, 0), -7);
  EXPECT_EQ(rows.bytes(0, 1), bytes);
  EXPECT_FALSE(rows.bytes(0, 2));
  EXPECT_FALSE(rows.integer(0, 1)) << "not an int8";

  EXPECT_FALSE(connection.execute("SELECT * FROM no_such_table"));
  EXPECT_EQ(connection.state(), "42P01");
  EXPECT_FALSE(connection.lost());
  ASSERT_TRUE(connection.execute_all("BEGIN"));
  EXPECT_FALSE(connection.idle());
  connection.roll_back();
  EXPECT_TRUE(connection.idle());
  ASSERT_TRUE(connection.execute_all("ROLLBACK")) << "there is no transaction: a warning";
  EXPECT_TRUE(connection.warned());
  ASSERT_TRUE(connection.execute_all("SELECT 1"));
  EXPECT_FALSE(connection.warned());
  EXPECT_EQ(connection.quoted("a\"b").value(), "\"a\"\"b\"");
}

}  // namespace
}  // namespace tacit::postgres

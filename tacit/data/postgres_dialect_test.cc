#include <gmock/gmock.h>

#include "tacit/data/testing/dialect_suite.h"

namespace tacit {
namespace {

class PostgresDialectTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* const uri = std::getenv("TACIT_TEST_POSTGRES");
    if (uri == nullptr) {
      GTEST_SKIP() << "no server: run under scripts/with-postgres (sets TACIT_TEST_POSTGRES)";
    }
    auto opened = Engine::postgres(uri);
    ASSERT_TRUE(opened) << opened.error().message();
    engine_.emplace(*std::move(opened));
  }

  std::optional<Engine> engine_;
  const Dialect& dialect_ = postgres_dialect();
};

TEST_F(PostgresDialectTest, FunctionsHaveTheirValues) { check_functions(*engine_); }

TEST_F(PostgresDialectTest, CastsHaveTheirValues) { check_casts(*engine_); }

TEST_F(PostgresDialectTest, NoValueIsAnError) { check_totality(*engine_); }

TEST_F(PostgresDialectTest, NothingIsWritten) {
  EXPECT_FALSE(engine_->execute("CREATE TABLE made (a integer)"));
}

TEST_F(PostgresDialectTest, SumsDoNotOverflow) {
  const auto table = engine_->query("SELECT " + dialect_.exact_sum("x", kIntegerType) +
                                    " FROM (VALUES (9223372036854775807), (9223372036854775807)) "
                                    "AS t(x)");
  ASSERT_TRUE(table) << engine_->steward_detail();
  EXPECT_EQ(table->columns[0][0], Cell(int128{9223372036854775807} * 2));
}

TEST(PostgresEngine, AServerThatIsNotThereIsSaid) {
  const auto engine = Engine::postgres("postgresql://localhost:1/none?connect_timeout=2");
  ASSERT_FALSE(engine);
  EXPECT_EQ(engine.error().exit_status(), 3);
}

}  // namespace
}  // namespace tacit

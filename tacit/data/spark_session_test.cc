#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <chrono>
#include <thread>

#include "tacit/data/engine.h"
#include "tacit/data/server_session_internal.h"

namespace tacit {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;

TEST(SparkSession, AnAddressAndATokenAreHandedOn) {
  ASSERT_EQ(::setenv("TACIT_SPARK_TOKEN", "abc", 1), 0);
  const auto session = adbc::spark_session("spark://host:15002/;use_ssl=true");
  ASSERT_EQ(::unsetenv("TACIT_SPARK_TOKEN"), 0);
  EXPECT_THAT(session.options, Contains(Pair("uri", "sc://host:15002/;use_ssl=true")));
  EXPECT_THAT(session.options, Contains(Pair("adbc.spark.token", "abc")));
  EXPECT_THAT(adbc::spark_session("spark://host:15002").options,
              Not(Contains(Pair("adbc.spark.token", ::testing::_))));
}

TEST(SparkSession, AServerThatIsNotThereIsSaid) {
  const auto engine = Engine::spark("spark://127.0.0.1:1");
  ASSERT_FALSE(engine);
  EXPECT_EQ(engine.error().exit_status(), 3);
}

class SparkSessionTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* const uri = std::getenv("TACIT_TEST_SPARK");
    if (uri == nullptr) {
      GTEST_SKIP() << "no server: run under scripts/with-spark (sets TACIT_TEST_SPARK)";
    }
    auto opened = Engine::spark(uri);
    ASSERT_TRUE(opened) << opened.error().message();
    engine_.emplace(*std::move(opened));
  }

  std::optional<Engine> engine_;
};

TEST_F(SparkSessionTest, ErrorsSayNothingOfRows) {
  const auto table = engine_->query("SELECT raise_error(x) FROM (VALUES ('secret')) AS t(x)");
  ASSERT_FALSE(table);
  EXPECT_EQ(table.error().exit_status(), 3);
  EXPECT_THAT(table.error().message(), Not(HasSubstr("secret")));
  EXPECT_THAT(engine_->steward_detail(), HasSubstr("secret"));
}

TEST_F(SparkSessionTest, CancelsARunningQueryAndAnswersTheNext) {
  std::jthread other([this] {
    std::this_thread::sleep_for(std::chrono::seconds(1));
    engine_->cancel();
  });
  // It would take a minute. The server may go on with it for as long, and have no core for others.
  const auto table =
      engine_->query("SELECT count(*) FROM range(10000000000) AS a(x) WHERE xxhash64(x) = 1");
  ASSERT_FALSE(table);
  EXPECT_THAT(table.error().message(), HasSubstr("cancelled"));
  other.join();
  EXPECT_TRUE(engine_->query("SELECT 1")) << engine_->steward_detail();
}

}  // namespace
}  // namespace tacit

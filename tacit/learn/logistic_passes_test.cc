#include "tacit/learn/logistic_passes.h"

#include <gtest/gtest.h>

namespace tacit::learn {
namespace {

constexpr int kPlaces = 26;
constexpr std::size_t kRows = 50'000;
// A label, two numbers, a category of three values; of some rows the label is no class.
const std::string kStatement =
    "SELECT i % 4 - 1, (i * 7919) % 2097153 - 1048576, (i * 104729) % 2097153 - 1048576, i % 3 "
    "FROM range(50000) t(i)";
const RowShape kShape{.numbers = 2, .categories = {3}, .classes = 3};

class LogisticPassesTest : public testing::Test {
 protected:
  Result<LogisticPasses> begin(std::uint64_t most_bytes) {
    return LogisticPasses::begin(kShape, kStatement, *engine_, most_bytes);
  }

  Result<Engine> engine_ = Engine::duckdb_in_memory(Engine::Files::kRefused);
};

TEST_F(LogisticPassesTest, GiveTheSameSumsFromMemoryAndFromTheEngine) {
  auto kept = begin(LogisticPasses::kUsualBytes);
  auto streamed = begin(100'000);  // a few blocks fit, not all
  ASSERT_TRUE(kept && streamed) << engine_->steward_detail();
  EXPECT_TRUE(kept->in_memory());
  EXPECT_FALSE(streamed->in_memory());
  EXPECT_EQ(kept->size(), kRows / 4 * 3);
  EXPECT_EQ(streamed->size(), kept->size());
  std::vector<double> weights(kShape.weights());
  for (int pass = 0; pass < 2; ++pass) {
    const auto first = kept->gradient(weights, kPlaces);
    const auto second = streamed->gradient(weights, kPlaces);
    ASSERT_TRUE(first && second);
    EXPECT_EQ(*first, *second);
    for (std::size_t j = 0; j < weights.size(); ++j) weights[j] = 0.1 * static_cast<double>(j);
  }
}

TEST_F(LogisticPassesTest, KeepNoMoreThanTheyMay) {
  // Two numbers and a category of 4 bytes, a label of 2.
  constexpr std::uint64_t kAll = kRows / 4 * 3 * (3 * 4 + 2);
  EXPECT_TRUE(begin(kAll)->in_memory());
  EXPECT_FALSE(begin(kAll - 1)->in_memory());
}

TEST_F(LogisticPassesTest, SayWhereTheEngineFails) {
  EXPECT_FALSE(LogisticPasses::begin(kShape, "SELECT nothing", *engine_, 0));
  EXPECT_FALSE(LogisticPasses::begin(kShape, "SELECT 1, 2", *engine_, 0));
  ASSERT_TRUE(engine_->execute("CREATE TABLE gone AS " + kStatement));
  auto passes = LogisticPasses::begin(kShape, "SELECT * FROM gone", *engine_, 0);
  ASSERT_TRUE(passes);
  ASSERT_TRUE(engine_->execute("DROP TABLE gone"));
  EXPECT_FALSE(passes->gradient(std::vector<double>(kShape.weights()), kPlaces));
}

}  // namespace
}  // namespace tacit::learn

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <vector>

#include "tacit/train/page_pool_internal.h"

namespace tacit::train {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

// New pages are clear; those that were kept hold what was written.
TEST(PagePoolTest, GivesWhatWasGivenBack) {
  PagePool pool;
  void* const first = pool.take(3 * kMiB);
  ASSERT_NE(first, nullptr);
  std::memset(first, 1, 3 * kMiB);
  EXPECT_TRUE(pool.give(first));
  EXPECT_EQ(pool.kept(), 3 * kMiB);
  EXPECT_EQ(pool.take(3 * kMiB), first);
  EXPECT_EQ(static_cast<const char*>(first)[3 * kMiB - 1], 1);
  EXPECT_EQ(pool.kept(), 0U);
  EXPECT_TRUE(pool.give(first));
}

class PagePoolOrderTest : public testing::TestWithParam<std::array<std::size_t, 3>> {};

TEST_P(PagePoolOrderTest, CutsARangeAndJoinsItAgain) {
  PagePool pool;
  char* const whole = static_cast<char*>(pool.take(3 * kMiB));
  std::memset(whole, 1, 3 * kMiB);
  ASSERT_TRUE(pool.give(whole));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(pool.take(kMiB), whole + i * kMiB);
  for (const std::size_t i : GetParam()) EXPECT_TRUE(pool.give(whole + i * kMiB));
  EXPECT_EQ(pool.take(3 * kMiB), whole);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(whole[i * kMiB], 1);
  EXPECT_TRUE(pool.give(whole));
}

INSTANTIATE_TEST_SUITE_P(Orders, PagePoolOrderTest,
                         testing::Values(std::array<std::size_t, 3>{0, 1, 2},
                                         std::array<std::size_t, 3>{2, 1, 0},
                                         std::array<std::size_t, 3>{0, 2, 1}));

TEST(PagePoolTest, RoundsUpToPages) {
  PagePool pool;
  void* const block = pool.take(1);
  EXPECT_EQ(pool.taken(), 4096U);
  EXPECT_TRUE(pool.give(block));
}

TEST(PagePoolTest, KnowsItsOwn) {
  PagePool pool;
  int other = 0;
  EXPECT_FALSE(pool.give(&other));
  void* const block = pool.take(kMiB);
  EXPECT_TRUE(pool.give(block));
  EXPECT_FALSE(pool.give(block));
}

// What no range that is kept can serve takes its pages from those.
TEST(PagePoolTest, MakesRoomForWhatIsLarger) {
  PagePool pool;
  void* const small = pool.take(2 * kMiB);
  void* const between = pool.take(kMiB);
  void* const other = pool.take(2 * kMiB);
  pool.give(small);
  pool.give(other);
  void* const large = pool.take(4 * kMiB);
  ASSERT_NE(large, nullptr);
  EXPECT_EQ(pool.taken(), 5 * kMiB);
  EXPECT_LE(pool.kept(), 5 * kMiB / 8);
  EXPECT_EQ(pool.most_held(), 5 * kMiB + 5 * kMiB / 8);
  pool.give(between);
  pool.give(large);
}

TEST(PagePoolTest, DropsWhatItKeeps) {
  PagePool pool;
  void* const stays = pool.take(kMiB);
  pool.give(pool.take(2 * kMiB));
  pool.drop();
  EXPECT_EQ(pool.kept(), 0U);
  EXPECT_EQ(pool.most_held(), kMiB + kMiB / 8);
  std::memset(stays, 1, kMiB);
  pool.give(stays);
}

TEST(PagePoolTest, RefusesWhatTheSystemHasNot) {
  PagePool pool;
  void* const block = pool.take(kMiB);
  EXPECT_EQ(pool.take(std::size_t{1} << 60), nullptr);
  EXPECT_EQ(pool.taken(), kMiB);
  std::memset(block, 1, kMiB);
  pool.give(block);
}

// Blocks hold what was written into them, however others come and go, and together with what is
// kept they are hardly more than was taken at once.
TEST(PagePoolTest, HoldsHardlyMoreThanWasTakenAtOnce) {
  struct Block {
    unsigned char* data;
    std::size_t bytes;
    unsigned char mark;
  };
  PagePool pool;
  std::mt19937 random(7);  // NOLINT(cert-msc51-cpp): the same blocks every time
  std::vector<Block> blocks;
  std::size_t most_taken = 0;
  for (int i = 0; i < 5'000; ++i) {
    if (blocks.size() < 30 && random() % 2 == 0) {
      const std::size_t bytes = 1 + random() % (kMiB / 4);
      Block block{static_cast<unsigned char*>(pool.take(bytes)), bytes,
                  static_cast<unsigned char>(i)};
      ASSERT_NE(block.data, nullptr);
      std::memset(block.data, block.mark, block.bytes);
      blocks.push_back(block);
    } else if (!blocks.empty()) {
      std::swap(blocks[random() % blocks.size()], blocks.back());
      const Block block = blocks.back();
      blocks.pop_back();
      EXPECT_EQ(block.data[0], block.mark);
      EXPECT_EQ(block.data[block.bytes - 1], block.mark);
      ASSERT_TRUE(pool.give(block.data));
    }
    most_taken = std::max(most_taken, pool.taken());
    ASSERT_LE(pool.taken() + pool.kept(), most_taken + most_taken / 8);
    ASSERT_EQ(pool.kept() % PagePool::kPage, 0U) << "the system takes whole pages alone";
  }
  EXPECT_GT(pool.kept(), 0U);
  for (const Block& block : blocks) EXPECT_TRUE(pool.give(block.data));
  EXPECT_EQ(pool.taken(), 0U);
}

}  // namespace
}  // namespace tacit::train

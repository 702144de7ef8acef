#include "tacit/ledger/run_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tacit/ledger/testing/child.h"
#include "tacit/ledger/testing/scratch.h"

namespace tacit {
namespace {

using ::testing::HasSubstr;

TEST(RunFolder, KeepsItsNameAndItsLastCheckpoint) {
  const Scratch scratch;
  std::string id;
  {
    const auto folder = RunFolder::begin(scratch / "mnist/first");
    ASSERT_TRUE(folder) << folder.error().message();
    id = folder->id();
    EXPECT_EQ(id.size(), 32U);
    EXPECT_EQ(*folder->checkpoint(), std::nullopt);
    EXPECT_FALSE(folder->has_checkpoint());
    ASSERT_TRUE(folder->keep_checkpoint(std::string(100'000, 'a')));
    ASSERT_TRUE(folder->keep_checkpoint(std::string("b\0c", 3)));
  }
  const auto again = RunFolder::open(scratch / "mnist/first");
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(again->id(), id);
  EXPECT_TRUE(again->has_checkpoint());
  EXPECT_EQ(*again->checkpoint(), std::string("b\0c", 3));
}

TEST(RunFolder, BeginsOneRunAFolder) {
  const Scratch scratch;
  EXPECT_FALSE(RunFolder::has_run(scratch / "run"));
  EXPECT_THAT(RunFolder::open(scratch / "run").error().what, HasSubstr("no run"));
  ASSERT_TRUE(RunFolder::begin(scratch / "run"));
  EXPECT_TRUE(RunFolder::has_run(scratch / "run"));
  EXPECT_THAT(RunFolder::begin(scratch / "run").error().what, HasSubstr("already"));
}

TEST(RunFolder, IsOpenInOneProcessAtATime) {
  const Scratch scratch;
  ASSERT_TRUE(RunFolder::begin(scratch / "run"));
  Child child([&](const Child::Tell& tell) {
    const auto held = RunFolder::open(scratch / "run");
    tell(held ? 1 : 0);
    ::pause();
  });
  std::uint64_t holds = 0;
  ASSERT_TRUE(child.hear(holds));
  ASSERT_EQ(holds, 1U);
  const auto second = RunFolder::open(scratch / "run");
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().kind, ErrorKind::kBadInput);
  EXPECT_THAT(second.error().what, HasSubstr("another process"));
  child.kill();
  child.join();
  EXPECT_TRUE(RunFolder::open(scratch / "run")) << "the lock dies with its holder";
}

}  // namespace
}  // namespace tacit

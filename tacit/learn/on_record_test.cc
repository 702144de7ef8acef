#include "tacit/learn/on_record.h"

#include <gmock/gmock.h>

#include "tacit/learn/testing/learn_test.h"

namespace tacit::learn {
namespace {

class OnRecordTest : public LearnTest {
 protected:
  const Digest print_ = Digest::of("a model");
  const sql::Release released_{
      .tables = {{.fields = {{"n", kIntegerType}}, .columns = {{Cell(int128{7})}}}},
      .learned = {{}}};
};

TEST_F(OnRecordTest, IsFoundAgainUnlessAFreshOneIsWanted) {
  EXPECT_FALSE(*find_on_record(print_, asker(), *ledger_));
  const auto permit = ledger_->reserve({.account = {.dataset = "town"},
                                        .cost = *Cost::leaf(cost::Pure{Rational(1)}),
                                        .who = "ana",
                                        .fingerprint = print_});
  ASSERT_TRUE(permit);
  sql::Asked asked{.entry = permit->entry()};
  keep_on_record(released_, print_, *ledger_, asked);
  EXPECT_FALSE(asked.not_recorded);
  const auto found = find_on_record(print_, asker(), *ledger_);
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->release, released_);
  EXPECT_EQ((*found)->asked.entry, asked.entry);
  EXPECT_EQ((*found)->asked.release, asked.release);
  EXPECT_FALSE(*find_on_record(print_, asker(true), *ledger_));
}

TEST_F(OnRecordTest, SaysWhereItCouldNotBeKept) {
  sql::Asked asked{.entry = "99:none"};
  keep_on_record(released_, print_, *ledger_, asked);
  EXPECT_TRUE(asked.not_recorded);
}

}  // namespace
}  // namespace tacit::learn

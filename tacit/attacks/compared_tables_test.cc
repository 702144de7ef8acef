#include "tacit/attacks/compared_tables_internal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tacit/attacks/testing/text_rows.h"

namespace tacit::attacks {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::text_rows;

// Two rows of the release are of key 2, one of nobody outside, one has no key; two people share 2.
LinkageTask keyed() {
  return {.release = text_rows({"zip", "key"},
                               {{"0213*", "2"}, {"02139", "9"}, {"02138", ""}, {"0213*", "2"}}),
          .outside = text_rows({"zip", "key"},
                               {{"02139", "1"}, {"02138", "2"}, {"02138", "2"}, {"02139", ""}}),
          .has_truth = true};
}

TEST(ComparedTables, CountEachCombinationOnce) {
  const auto compared = ComparedTables::of(keyed());
  ASSERT_TRUE(compared) << compared.error().message();
  ASSERT_EQ(compared->labels.size(), 1U) << "the key is not compared";
  EXPECT_THAT(compared->records.counts, ElementsAre(2, 1, 1));
  EXPECT_THAT(compared->people.counts, ElementsAre(2, 2));
}

TEST(ComparedTables, RefuseTablesThatDoNotCompare) {
  LinkageTask task = keyed();
  task.outside.columns.pop_back();
  EXPECT_THAT(ComparedTables::of(task).error().message(), HasSubstr("different columns"));
  const LinkageTask key_alone{.release = text_rows({"key"}, {{"1"}}),
                              .outside = text_rows({"key"}, {{"1"}}),
                              .has_truth = true};
  EXPECT_THAT(ComparedTables::of(key_alone).error().message(), HasSubstr("no column to compare"));
  LinkageTask wide;
  for (std::size_t i = 0; i < kMostCompared; ++i) {
    wide.release.columns.push_back({.name = "c", .texts = {"x"}, .codes = {0}});
    wide.outside.columns.push_back(wide.release.columns.back());
  }
  EXPECT_TRUE(ComparedTables::of(wide));
  wide.release.columns.push_back(wide.release.columns.back());
  wide.outside.columns.push_back(wide.outside.columns.back());
  EXPECT_THAT(ComparedTables::of(wide).error().message(), HasSubstr("33 columns"));
}

TEST(Truth, IsTheKeyThatBothTablesHave) {
  const Truth truth(keyed());
  EXPECT_TRUE(truth.is_known());
  EXPECT_THAT(truth.people_of(0), ElementsAre(1, 2));
  EXPECT_THAT(truth.people_of(3), ElementsAre(1, 2));
  EXPECT_TRUE(truth.is_same(0, 1));
  EXPECT_TRUE(truth.is_same(0, 2));
  EXPECT_FALSE(truth.is_same(0, 0));
}

TEST(Truth, WithoutAKeyARowIsNobodys) {
  const Truth truth(keyed());
  for (const std::uint64_t record : {1U, 2U}) {
    EXPECT_THAT(truth.people_of(record), IsEmpty());
    for (std::uint64_t person = 0; person < 4; ++person) {
      EXPECT_FALSE(truth.is_same(record, person));
    }
  }
}

TEST(LinkageReport, JudgesClaimsByTheTruth) {
  LinkageTask task = keyed();
  std::vector<Claim> claims{{.record = 0, .person = 2}, {.record = 1, .person = 0}};
  const Report judged = report_of(claims, task, Truth(task));
  EXPECT_TRUE(claims[0].is_right);
  EXPECT_FALSE(claims[1].is_right);
  EXPECT_EQ(judged.successes, 1);
  EXPECT_EQ(judged.targets, 4);
  EXPECT_TRUE(judged.checked);
  EXPECT_EQ(judged.baseline, 0.25);
  EXPECT_EQ(judged.adversary, "zip of 4 people");
  task.has_truth = false;
  const Report unjudged = report_of(claims, task, Truth(task));
  EXPECT_FALSE(claims[0].is_right) << "nobody knows";
  EXPECT_EQ(unjudged.successes, 2);
  EXPECT_FALSE(unjudged.checked);
}

}  // namespace
}  // namespace tacit::attacks

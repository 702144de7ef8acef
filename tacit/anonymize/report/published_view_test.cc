#include "tacit/anonymize/report/published_view.h"

#include <gtest/gtest.h>

#include <array>
#include <utility>

#include "tacit/anonymize/testing/letters.h"

namespace tacit::anonymize {
namespace {

TEST(PublishedView, OfARecoding) {
  const testing::Letters letters;
  // Letters in pairs; d is suppressed.
  const PublishedView view =
      recoded_view(letters.records(), letters.hierarchies(), {1, 0}, {true, true, true, false});
  EXPECT_EQ(view.rows, (std::vector<std::uint64_t>{6, 1}));
  EXPECT_EQ(view.shares_of(1).size(), 1U);
  EXPECT_EQ(view.shares_of(1)[0].in, view.shares_of(0)[0].in);
  EXPECT_TRUE(view.shares_of(3).empty());
  EXPECT_FALSE(view.splits(letters.records()));
  const Records records = view.records(letters.records());
  EXPECT_EQ(records.rows, 7U);
  EXPECT_NE(records.record(0)[0], records.record(1)[0]);
}

TEST(PublishedView, JoinsSensitiveValues) {
  RecordsBuilder builder(1, 1);
  builder.add(std::array{0U}, std::array{7U}, 2);
  builder.add(std::array{1U}, std::array{7U}, 1);
  builder.add(std::array{1U}, std::array{3U}, 4);
  const Records records = std::move(builder).build();
  PublishedView view{
      .columns = 1,
      .cells = {0},
      .rows = {7},
      .shares = {{.record = 0, .in = 0, .rows = 2}, {.record = 1, .in = 0, .rows = 5}}};
  const Records joined = view.records(records);
  ASSERT_EQ(joined.sensitive.size(), 1U);
  EXPECT_EQ(joined.sensitive[0].values, (std::vector<std::uint32_t>{3, 7}));
  EXPECT_EQ(joined.sensitive[0].counts, (std::vector<std::uint64_t>{4, 3}));
  // Two of the five rows of the second record: nobody knows which.
  view.shares[1].rows = 2;
  view.rows = {4};
  EXPECT_TRUE(view.splits(records));
  EXPECT_TRUE(view.records(records).sensitive.empty());
}

TEST(PublishedView, OfTheTableAsItWas) {
  const testing::Letters letters;
  const Records same = unchanged_view(letters.records()).records(letters.records());
  EXPECT_EQ(same.leaves, letters.records().leaves);
  EXPECT_EQ(same.counts, letters.records().counts);
  EXPECT_EQ(same.rows, letters.records().rows);
}

TEST(PublishedView, OfAPartition) {
  PartitionBuilder builder(1);
  builder.add(std::array{RecordRows{.record = 0, .rows = 3}, RecordRows{.record = 1, .rows = 2}},
              {builder.label(0, "a .. b")}, std::array{0.5});
  const PublishedView view = partition_view(std::move(builder).build());
  EXPECT_EQ(view.columns, 1U);
  EXPECT_EQ(view.rows, std::vector<std::uint64_t>{5});
  EXPECT_EQ(view.shares.size(), 2U);
}

}  // namespace
}  // namespace tacit::anonymize

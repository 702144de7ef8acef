#include "tacit/anonymize/methods/partition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <utility>

namespace tacit::anonymize {
namespace {

using ::testing::ElementsAre;

Records three_records() {
  RecordsBuilder builder(1, 1);
  builder.add(std::array{0U}, std::array{0U}, 4);
  builder.add(std::array{1U}, std::array{1U}, 3);
  builder.add(std::array{2U}, std::array{0U}, 2);
  return std::move(builder).build();
}

TEST(Partition, JoinsClassesThatShowTheSame) {
  PartitionBuilder builder(1);
  const std::uint32_t low = builder.label(0, "low");
  EXPECT_EQ(builder.label(0, "low"), low);
  const std::uint32_t high = builder.label(0, "high");
  builder.add(std::array{RecordRows{0, 1}, RecordRows{1, 3}}, {low}, std::array{0.5});
  builder.add(std::array{RecordRows{2, 2}}, {high}, std::array{0.0});
  builder.add(std::array{RecordRows{0, 3}}, {low}, std::array{0.5});
  const Partition partition = std::move(builder).build();
  EXPECT_THAT(partition.rows, ElementsAre(7, 2));
  EXPECT_EQ(partition.label(0, 0), "low");
  EXPECT_EQ(partition.label(1, 0), "high");
  EXPECT_THAT(partition.shares, ElementsAre(Partition::Share{0, 0, 4}, Partition::Share{1, 0, 3},
                                            Partition::Share{2, 1, 2}));
  EXPECT_FALSE(partition.splits_records());
  EXPECT_DOUBLE_EQ(partition.penalty(), 3.5 / 9);
}

TEST(Partition, ShowsItsClassesToCriteria) {
  const Records records = three_records();
  PartitionBuilder builder(1);
  builder.add(std::array{RecordRows{0, 4}, RecordRows{1, 3}}, {builder.label(0, "low")},
              std::array{0.0});
  builder.add(std::array{RecordRows{2, 2}}, {builder.label(0, "high")}, std::array{0.0});
  const Classes classes = std::move(builder).build().classes(records);
  EXPECT_THAT(classes.counts, ElementsAre(7, 2));
  EXPECT_THAT(classes.sensitive[0].at(0).values, ElementsAre(0, 1));
  EXPECT_THAT(classes.sensitive[0].at(0).counts, ElementsAre(4, 3));
  EXPECT_THAT(classes.sensitive[0].at(1).counts, ElementsAre(2));
}

TEST(Partition, LosesClasses) {
  const Records records = three_records();
  PartitionBuilder builder(1);
  builder.add(std::array{RecordRows{1, 3}}, {builder.label(0, "low")}, std::array{0.25});
  builder.add(std::array{RecordRows{0, 4}}, {builder.label(0, "high")}, std::array{1.0});
  builder.add(std::array{RecordRows{2, 2}}, {builder.label(0, "low")}, std::array{0.5});
  const Partition whole = std::move(builder).build();
  EXPECT_DOUBLE_EQ(whole.penalty(), (3 * 0.25 + 4 + 2 * 0.5) / 9);
  const Partition rest = whole.without({0});
  EXPECT_THAT(rest.rows, ElementsAre(4));
  EXPECT_EQ(rest.label(0, 0), "high");
  EXPECT_THAT(rest.shares, ElementsAre(Partition::Share{0, 0, 4}));
  EXPECT_DOUBLE_EQ(rest.penalty(), 1);
  EXPECT_DOUBLE_EQ(whole.without({1}).penalty(0), (3 * 0.25 + 2 * 0.5) / 5);
  EXPECT_EQ(whole.without({0, 1}).size(), 0U);
}

TEST(Partition, HasNoHistogramsWhereARecordIsSplit) {
  const Records records = three_records();
  PartitionBuilder builder(1);
  builder.add(std::array{RecordRows{0, 1}}, {builder.label(0, "low")}, std::array{0.0});
  builder.add(std::array{RecordRows{0, 3}}, {builder.label(0, "high")}, std::array{0.0});
  const Partition partition = std::move(builder).build();
  EXPECT_TRUE(partition.splits_records());
  EXPECT_TRUE(partition.classes(records).sensitive.empty());
  EXPECT_THAT(partition.classes(records).counts, ElementsAre(1, 3));
}

}  // namespace
}  // namespace tacit::anonymize

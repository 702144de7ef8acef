#include "tacit/attacks/block_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tacit::attacks {
namespace {

using ::testing::HasSubstr;

constexpr const char* kFile = R"(people = 3
oldest = 99

[attributes]
sex = ["female", "male"]
race = ["black", "white"]

[[rows]]
label = "everyone"
count = 3
mean = 40.33
decimals = 2

[[rows]]
where = { race = "white", sex = "female" }
youngest = 18
oldest = 64
at_most = 2
)";

TEST(BlockFile, ReadsPeopleAttributesAndRows) {
  const auto read = PublishedBlock::parse(kFile, "tables.toml");
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(read->block.people, 3U);
  EXPECT_EQ(read->block.oldest, 99U);
  ASSERT_EQ(read->block.attributes.size(), 2U);
  EXPECT_EQ(read->block.attributes[0].name, "sex");
  ASSERT_EQ(read->rows.size(), 2U);
  EXPECT_EQ(read->rows[0].least, 3U);
  EXPECT_EQ(read->rows[0].mean, 40.33);
  EXPECT_EQ(read->rows[0].decimals, 2);
  const PublishedRow& row = read->rows[1];
  EXPECT_EQ(row.least, 0U);
  EXPECT_EQ(row.most, 2U);
  EXPECT_EQ(row.youngest, 18U);
  EXPECT_EQ(row.oldest, 64U);
  ASSERT_EQ(row.where.size(), 2U);
  EXPECT_EQ(row.where[0].attribute, 1U);
  EXPECT_EQ(row.where[0].value, 1U);
  EXPECT_EQ(row.where[1].attribute, 0U);
  EXPECT_EQ(row.where[1].value, 0U);
}

std::string refusal(std::string text, std::string_view from, std::string_view to) {
  text.replace(text.find(from), from.size(), to);
  const auto read = PublishedBlock::parse(text, "tables.toml");
  return read ? "accepted" : read.error().message();
}

TEST(BlockFile, NamesTheLineThatIsWrong) {
  EXPECT_THAT(refusal(kFile, "people = 3", "people = -3"), HasSubstr("tables.toml:1"));
  EXPECT_THAT(refusal(kFile, "people = 3", ""), HasSubstr("how many people"));
  EXPECT_THAT(refusal(kFile, "race = \"white\"", "rice = \"white\""),
              HasSubstr("no attribute 'rice'"));
  EXPECT_THAT(refusal(kFile, "race = \"white\"", "race = \"green\""),
              HasSubstr("tables.toml:15: 'green' is no value of 'race'"));
  EXPECT_THAT(refusal(kFile, "at_most = 2", ""), HasSubstr("a row has a count"));
  EXPECT_THAT(refusal(kFile, "count = 3", "count = 3\nat_most = 3"),
              HasSubstr("a row has a count"));
  EXPECT_THAT(refusal(kFile, "oldest = 64", "oldest = 64000"), HasSubstr("from 0 to 200"));
  EXPECT_THAT(refusal(kFile, "\"male\"", "\"female\""), HasSubstr("stands twice"));
  EXPECT_THAT(refusal(kFile, "mean", "meen"), HasSubstr("unknown key 'meen'"));
  EXPECT_THAT(refusal(kFile, "[[rows]]", "[[rows]"), HasSubstr("tables.toml:"));
  EXPECT_FALSE(PublishedBlock::read("no such file"));
}

}  // namespace
}  // namespace tacit::attacks

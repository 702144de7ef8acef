#include "tacit/anonymize/row_writing.h"

#include <gtest/gtest.h>

namespace tacit::anonymize {
namespace {

TEST(RowWriting, NamesTheFormat) {
  EXPECT_EQ(copy_options({.format = RowFormat::kCsv}), "FORMAT csv, HEADER, DELIMITER ','");
  EXPECT_EQ(copy_options({.format = RowFormat::kCsv, .delimiter = '\''}),
            "FORMAT csv, HEADER, DELIMITER ''''");
  EXPECT_EQ(copy_options({.format = RowFormat::kParquet}), "FORMAT parquet");
  EXPECT_EQ(copy_options({.format = RowFormat::kJson}), "FORMAT json");
}

TEST(RowWriting, SecretsAreFresh) {
  const auto one = fresh_secret();
  const auto other = fresh_secret();
  ASSERT_TRUE(one && other);
  EXPECT_EQ(one->size(), 64U);
  EXPECT_NE(*one, *other);
}

}  // namespace
}  // namespace tacit::anonymize

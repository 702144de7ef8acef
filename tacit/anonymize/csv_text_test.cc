#include "tacit/anonymize/csv_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tacit::anonymize {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(CsvText, ReadsRecords) {
  EXPECT_THAT(parse_csv("\xef\xbb\xbf"
                        "a;b\r\n\"x;\"\"y\"\"\n2\";\n\nlast;1",
                        ';', "f")
                  .value(),
              ElementsAre(Fields{"a", "b"}, Fields{"x;\"y\"\n2", ""}, Fields{"last", "1"}));
  EXPECT_TRUE(parse_csv("", ',', "f").value().empty());
}

TEST(CsvText, NamesTheLineThatIsBroken) {
  EXPECT_THAT(parse_csv("a\nb\n\"c\n", ',', "f.csv").error().message(),
              HasSubstr("f.csv:3: a quotation mark does not close"));
  EXPECT_THAT(parse_csv("a\n\"b\"c\n", ',', "f.csv").error().message(),
              HasSubstr("f.csv:2: something follows"));
}

TEST(CsvText, GuessesTheDelimiter) {
  EXPECT_EQ(guess_delimiter("a;b;c,d\n,,,,,,"), ';');
  EXPECT_EQ(guess_delimiter("\"a;b;c\",d\n"), ',');
  EXPECT_EQ(guess_delimiter("one"), ',');
  EXPECT_EQ(guess_delimiter("a\tb"), '\t');
}

}  // namespace
}  // namespace tacit::anonymize

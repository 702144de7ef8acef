#include "tacit/anonymize/coded_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "tacit/ledger/testing/scratch.h"

namespace tacit::anonymize {
namespace {

using ::testing::ElementsAre;

std::optional<CodedText> table_of(const std::string& text, std::size_t fields,
                                  const std::vector<std::size_t>& wanted) {
  const Scratch folder;
  std::ofstream(folder / "t.csv", std::ios::binary) << text;
  return CodedText::read(folder / "t.csv", ',', fields, wanted);
}

bool is_plain(const std::string& text, std::size_t fields = 2) {
  return table_of(text, fields, {0}).has_value();
}

TEST(CodedText, CodesTheColumnsThatAreWanted) {
  const auto table = table_of("a,b,c\nx,1,p\ny,1,q\nx,2,\n", 3, {2, 0, 2});
  ASSERT_TRUE(table);
  EXPECT_EQ(table->rows(), 3);
  ASSERT_EQ(table->columns().size(), 3);
  EXPECT_THAT(table->columns()[0].values, ElementsAre("p", "q", ""));
  EXPECT_THAT(table->columns()[0].codes, ElementsAre(0, 1, 2));
  EXPECT_THAT(table->columns()[1].values, ElementsAre("x", "y"));
  EXPECT_THAT(table->columns()[1].codes, ElementsAre(0, 1, 0));
  EXPECT_EQ(table->columns()[2].codes, table->columns()[0].codes);
}

TEST(CodedText, TakesEitherEndOfLineAndNoneAtTheEnd) {
  const auto table = table_of("a,b\r\nx,1\r\ny,2\nz,3", 2, {0, 1});
  ASSERT_TRUE(table);
  EXPECT_THAT(table->columns()[0].values, ElementsAre("x", "y", "z"));
  EXPECT_THAT(table->columns()[1].values, ElementsAre("1", "2", "3"));
  EXPECT_EQ(table_of("a,b\n", 2, {0})->rows(), 0);
}

TEST(CodedText, LeavesAllElseToTheEngine) {
  EXPECT_TRUE(is_plain("a,b\nx,1\n"));
  EXPECT_FALSE(is_plain("a,b\nx\n"));
  EXPECT_FALSE(is_plain("a,b\nx,1,2\n"));
  EXPECT_FALSE(is_plain("a,b\nx,1\n\ny,2\n"));
  EXPECT_FALSE(is_plain("a,b\n\"x\",1\n"));
  EXPECT_FALSE(is_plain("a,\"b\"\nx,1\n"));
  EXPECT_FALSE(is_plain("a,b\nx,\r1\n"));
  EXPECT_FALSE(is_plain("a,b\nx,1\r"));
  EXPECT_FALSE(is_plain(std::string("a,b\nx\0,1\n", 9)));
  EXPECT_FALSE(is_plain("\xEF\xBB\xBFl,b\nx,1\n"));
  EXPECT_FALSE(is_plain("a\n\n", 1));
  EXPECT_FALSE(is_plain(""));
  EXPECT_FALSE(CodedText::read("/nowhere/t.csv", ',', 1, std::vector<std::size_t>{0}));
}

TEST(CodedText, KnowsUtf8) {
  for (const char* const good :
       {"\xC3\xA9", "\xE2\x82\xAC", "\xED\x9F\xBF", "\xF0\x9F\x98\x80", "\xF4\x8F\xBF\xBF"}) {
    EXPECT_TRUE(is_plain(std::string("a,b\nx") + good + ",1\n")) << good;
  }
  // A byte that only goes on, too long a form, half a pair, beyond the last, cut short.
  for (const char* const bad : {"\x80", "\xC0\xAF", "\xE0\x80\x80", "\xED\xA0\x80",
                                "\xF4\x90\x80\x80", "\xF0\x9F\x98", "\xC3", "\xFF"}) {
    EXPECT_FALSE(is_plain(std::string("a,b\nx") + bad + ",1\n")) << bad;
  }
}

// Long enough to be read in several parts, which have to agree on the codes.
TEST(CodedText, ReadsALongFileInParts) {
  std::string text = "number,word\n";
  constexpr std::size_t kRows = 300'000;
  for (std::size_t i = 0; i < kRows; ++i) {
    text += std::to_string(i % 1000) + ',' + "a long word of kind " + std::to_string(i % 7) + '\n';
  }
  const auto table = table_of(text, 2, {0, 1});
  ASSERT_TRUE(table);
  ASSERT_EQ(table->rows(), kRows);
  EXPECT_EQ(table->columns()[0].values.size(), 1000);
  EXPECT_EQ(table->columns()[1].values.size(), 7);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < kRows; ++i) {
    const CodedText::Column& numbers = table->columns()[0];
    const CodedText::Column& words = table->columns()[1];
    wrong += numbers.values[numbers.codes[i]] == std::to_string(i % 1000) ? 0U : 1U;
    wrong += words.values[words.codes[i]].back() == static_cast<char>('0' + (i % 7)) ? 0U : 1U;
  }
  EXPECT_EQ(wrong, 0);
  // A fault in the first of them is seen as well.
  text.replace(text.find('\n') + 1, 1, "\"");
  EXPECT_FALSE(table_of(text, 2, {0, 1}));
}

}  // namespace
}  // namespace tacit::anonymize

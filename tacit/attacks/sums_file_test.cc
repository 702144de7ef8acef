#include "tacit/attacks/sums_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tacit::attacks {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(SumsFile, HasPeopleSumsNoiseAndTheTruth) {
  const auto file =
      SumsFile::parse("sum,noise,Ann,Bob,Cleo\n31.2,2,1,1,1\n20,0,1,,0\ntruth,,11,9,10\n", "s.csv");
  ASSERT_TRUE(file) << file.error().message();
  EXPECT_THAT(file->people, ElementsAre("Ann", "Bob", "Cleo"));
  EXPECT_THAT(file->released.sums, ElementsAre(31.2, 20));
  EXPECT_THAT(file->released.members[0], ElementsAre(0, 1, 2));
  EXPECT_THAT(file->released.members[1], ElementsAre(0));
  EXPECT_THAT(file->noise, ElementsAre(2, 0));
  EXPECT_THAT(file->truth, ElementsAre(11, 9, 10));
  EXPECT_FALSE(file->is_exact());
  EXPECT_TRUE(SumsFile::parse("Ann;sum\n1;3\n", "s.csv")->is_exact());
}

TEST(SumsFile, SaysWhatIsWrongAndWhere) {
  const auto error = [](const char* text) {
    const auto file = SumsFile::parse(text, "s.csv");
    return file ? "none" : file.error().message();
  };
  EXPECT_THAT(error("Ann,Bob\n1,1\n"), HasSubstr("s.csv:1: the first line must name"));
  EXPECT_THAT(error("sum,Ann,Ann\n1,1,1\n"), HasSubstr("'Ann' is there twice"));
  EXPECT_THAT(error("sum,Ann\n1,2\n"), HasSubstr("s.csv:2: '2' of Ann is neither 1 nor 0"));
  EXPECT_THAT(error("sum,Ann\n1,1\nx,1\n"), HasSubstr("s.csv:3: 'x' in the column sum"));
  EXPECT_THAT(error("sum,noise,Ann\n1,-1,1\n"), HasSubstr("below 0"));
  EXPECT_THAT(error("sum,Ann\n1,1,1\n"), HasSubstr("3 fields, but 2"));
  EXPECT_THAT(error("sum,Ann\n"), HasSubstr("no sum"));
  EXPECT_FALSE(SumsFile::read("/nowhere/sums.csv"));
}

}  // namespace
}  // namespace tacit::attacks

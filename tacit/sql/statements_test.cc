#include "tacit/sql/statements.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tacit::sql {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> out;
  for (const std::string& statement : statements_in(text)) {
    out.push_back(without_padding(statement));
  }
  return out;
}

TEST(Statements, EndAtSemicolonsOutsideOfQuotesAndComments) {
  EXPECT_THAT(words("a; b ;\n c"), ElementsAre("a", "b", "c"));
  EXPECT_THAT(words("a ';' b; \"x;y\" ';''' c;"), ElementsAre("a ';' b", "\"x;y\" ';''' c"));
  EXPECT_THAT(words("a -- no; end\n b; c"), ElementsAre("a -- no; end\n b", "c"));
  EXPECT_THAT(words("a /* no; /* in; it */ end; */ b; c"),
              ElementsAre("a /* no; /* in; it */ end; */ b", "c"));
  EXPECT_THAT(words("a /*/ ; */ b; c-;-d"), ElementsAre("a /*/ ; */ b", "c-", "-d"));
}

TEST(Statements, OfBlanksAndCommentsAloneAreNone) {
  EXPECT_THAT(words(""), ElementsAre());
  EXPECT_THAT(words(" ;;\n-- nothing\n; /* at; /* all */ */ ;"), ElementsAre());
  EXPECT_THAT(words("-- first\na; -- the end"), ElementsAre("a"));
}

TEST(Statements, KeepTheirPlace) {
  const auto found = statements_in("a;\n  b;\n c");
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[1], "  \n  b");
  EXPECT_EQ(found[2], "  \n    \n c");
}

TEST(Statements, MayComeInPieces) {
  StatementEnds ends;
  EXPECT_THAT(ends.add("a '"), ElementsAre());
  EXPECT_THAT(ends.add(";"), ElementsAre());
  EXPECT_THAT(ends.add("'; /"), ElementsAre(1));
  EXPECT_THAT(ends.add("* ; *"), ElementsAre());
  EXPECT_THAT(ends.add("/;"), ElementsAre(1));
}

}  // namespace
}  // namespace tacit::sql

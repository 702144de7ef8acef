#include "tacit/anonymize/matching_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tacit/ledger/testing/scratch.h"

namespace tacit::anonymize {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(MatchingFiles, FindsThoseOfAPattern) {
  const Scratch folder;
  for (const char* const name : {"b.csv", "a.csv", "c.json"}) std::ofstream(folder / name) << "x";
  std::filesystem::create_directory(folder / "d.csv");
  EXPECT_THAT(matching_files(folder / "*.csv").value(),
              ElementsAre(folder / "a.csv", folder / "b.csv"));
  EXPECT_THAT(matching_files(folder / "[ac].*").value(),
              ElementsAre(folder / "a.csv", folder / "c.json"));
  EXPECT_THAT(matching_files(folder / "absent.csv").value(), ElementsAre(folder / "absent.csv"));
  EXPECT_THAT(matching_files(folder / "z*.csv").error().message(),
              HasSubstr("no file has a name of this pattern"));
}

// A file may have a star in its name.
TEST(MatchingFiles, TakesANameForItself) {
  const Scratch folder;
  for (const char* const name : {"a*.csv", "ab.csv"}) std::ofstream(folder / name) << "x";
  EXPECT_FALSE(is_pattern(folder / "a*.csv"));
  EXPECT_THAT(matching_files(folder / "a*.csv").value(), ElementsAre(folder / "a*.csv"));
}

TEST(MatchingFiles, KnowsWhatWouldBeOneOfThem) {
  const Scratch folder;
  std::ofstream(folder / "a.csv") << "x";
  EXPECT_TRUE(is_matched(folder / "a.csv", folder / "." / "a.csv"));
  EXPECT_FALSE(is_matched(folder / "a.csv", folder / "b.csv"));
  EXPECT_TRUE(is_matched(folder / "*.csv", folder / "a.csv"));
  EXPECT_TRUE(is_matched(folder / "*.csv", folder / "." / "new.csv"));
  EXPECT_FALSE(is_matched(folder / "*.csv", folder / "new.json"));
  EXPECT_FALSE(is_matched("", folder / "new.json"));
  std::filesystem::create_symlink(folder / "a.csv", folder / "link.json");
  EXPECT_TRUE(is_matched(folder / "*.csv", folder / "link.json"));
}

}  // namespace
}  // namespace tacit::anonymize

#include "tacit/sql/release_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace tacit::sql {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(ReleaseRecord, GivesBackWhatItWasGiven) {
  const int128 large = (int128{1} << 100) + 1;
  const Release release{
      .tables = {{.fields = {{"key_0", kTextType},
                             {"key_1", kDateType},
                             {"value_0", kIntegerType},
                             {"value_1", Type{TypeKind::kDecimal, 38, 2}},
                             {"half_width_0", kRealType},
                             {"key_2", kBooleanType}},
                  .columns = {{Cell("a\"\n"), Cell("")},
                              {Cell(int128{-3}), Cell()},
                              {Cell(int128{-5}), Cell(int128{0})},
                              {Cell(large), Cell(-large)},
                              {Cell(0.1), Cell(kInfinity)},
                              {Cell(true), Cell(false)}}},
                 {}},
      .learned = {{.rows = 7,
                   .groups = std::nullopt,
                   .ranges = {ValueRange{*Rational::parse("-1/8"), Rational(64)}, std::nullopt}},
                  {}}};
  const auto read = from_record(to_record(release));
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(*read, release);
}

TEST(ReleaseRecord, RefusesWhatItDidNotWrite) {
  for (const char* text :
       {"", "{}", R"({"format":2,"tables":[]})", R"({"format":1,"tables":[{}]})",
        R"({"format":1,"tables":[{"columns":[{"name":"a","type":"blob","cells":[]}]}]})",
        R"({"format":1,"tables":[{"columns":[{"name":"a","type":"integer","cells":[1]}]}]})",
        R"({"format":1,"tables":[{"columns":[{"name":"a","type":"integer","cells":["1x"]}]}]})",
        R"({"format":1,"tables":[{"columns":[{"name":"a","type":"text","cells":["x"]},)"
        R"({"name":"b","type":"text","cells":[]}]}]})"}) {
    const auto read = from_record(text);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().kind, ErrorKind::kWorld);
  }
}

}  // namespace
}  // namespace tacit::sql

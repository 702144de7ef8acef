#include <gtest/gtest.h>

#include "tacit/data/calendar_internal.h"

namespace tacit {
namespace {

TEST(Calendar, DaysReadBack) {
  for (int128 day = kFirstDay; day <= kLastDay; day += 13)
    EXPECT_EQ(parse_date(date_text(day)), day);
  EXPECT_EQ(date_text(0), "1970-01-01");
  EXPECT_EQ(date_text(kFirstDay), "0001-01-01");
  EXPECT_EQ(date_text(kLastDay), "9999-12-31");
}

TEST(Calendar, MomentsReadBack) {
  EXPECT_EQ(timestamp_text(-1), "1969-12-31 23:59:59.999999");
  EXPECT_EQ(parse_timestamp("1969-12-31 23:59:59.999999"), int128{-1});
  EXPECT_EQ(parse_timestamp("1970-01-01 00:00:01.5"), int128{1'500'000});
  EXPECT_EQ(parse_timestamp("1970-01-02 00:00:00"), kMicrosecondsADay);
}

TEST(Calendar, RefusesWhatDoesNotExist) {
  for (const char* const text : {"2021-02-29", "2020-13-01", "0000-01-01", "2020-1-01", "20200101",
                                 "2020-01-01 ", "2020-01-0x", ""}) {
    EXPECT_FALSE(parse_date(text)) << text;
  }
  for (const char* const text :
       {"2020-01-01", "2020-01-01 24:00:00", "2020-01-01 00:60:00", "2020-01-01 00:00:60",
        "2020-01-01 00:00:00.", "2020-01-01 00:00:00.1234567", "2020-01-01T00:00:00"}) {
    EXPECT_FALSE(parse_timestamp(text)) << text;
  }
}

}  // namespace
}  // namespace tacit

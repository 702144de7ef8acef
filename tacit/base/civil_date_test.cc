#include "tacit/base/civil_date.h"

#include <gtest/gtest.h>

namespace tacit {
namespace {

// Over the years that std::chrono has, by its own calendar.
TEST(CivilDate, IsThatOfTheStandardCalendar) {
  const std::chrono::sys_days first(std::chrono::year(-32767) / 1 / 1);
  const std::chrono::sys_days last(std::chrono::year(32767) / 12 / 31);
  for (auto day = first; day <= last; ++day) {
    const std::chrono::year_month_day expected(day);
    const CivilDate found = civil_date(day.time_since_epoch().count());
    ASSERT_EQ(found, (CivilDate{.year = static_cast<int>(expected.year()),
                                .month = static_cast<unsigned>(expected.month()),
                                .day = static_cast<unsigned>(expected.day())}));
  }
}

// The calendar repeats after 400 years, beyond where std::chrono ends.
TEST(CivilDate, DoesNotWrap) {
  for (const std::int64_t eras : {100, 14'000, -14'000}) {
    EXPECT_EQ(civil_date(19'782 + eras * 146'097),
              (CivilDate{.year = 2024 + eras * 400, .month = 2, .day = 29}));
  }
  // The last day of DuckDB and its first one, which it writes as 5877642-06-25 (BC).
  EXPECT_EQ(date_text(civil_date(2'147'483'646)), "5881580-07-10");
  EXPECT_EQ(civil_date(-2'147'483'646), (CivilDate{.year = -5'877'641, .month = 6, .day = 25}));
}

TEST(CivilDate, HasFourDigitsOfAYearAtLeast) {
  EXPECT_EQ(date_text({.year = 7, .month = 12, .day = 3}), "0007-12-03");
  EXPECT_EQ(date_text({.year = 0, .month = 1, .day = 1}), "0000-01-01");
  EXPECT_EQ(date_text({.year = -43, .month = 3, .day = 15}), "-0043-03-15");
}

TEST(CivilDate, MomentsAreWrittenInUtc) {
  EXPECT_EQ(utc_text(std::chrono::sys_seconds(std::chrono::seconds(0))), "1970-01-01T00:00:00Z");
  EXPECT_EQ(utc_text(std::chrono::sys_seconds(std::chrono::seconds(-1))), "1969-12-31T23:59:59Z");
  EXPECT_EQ(utc_text(std::chrono::sys_seconds(std::chrono::seconds(1'582'970'405))),
            "2020-02-29T10:00:05Z");
}

}  // namespace
}  // namespace tacit

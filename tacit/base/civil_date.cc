#include "tacit/base/civil_date.h"

#include <fmt/format.h>

namespace tacit {
namespace {

// The calendar repeats after 400 years.
constexpr std::int64_t kDaysOfAnEra = 146'097;
// From 1970-01-01 back to the first of March of the year 0.
constexpr std::int64_t kDaysBefore1970 = 719'468;

}  // namespace

// Hinnant, "chrono-compatible low-level date algorithms" (2013), civil_from_days: years that begin
// in March have their leap day last.
CivilDate civil_date(std::int64_t days) {
  const std::int64_t from_march = days + kDaysBefore1970;
  const std::int64_t era =
      (from_march >= 0 ? from_march : from_march - kDaysOfAnEra + 1) / kDaysOfAnEra;
  const std::int64_t of_era = from_march - era * kDaysOfAnEra;
  const std::int64_t year =
      (of_era - of_era / 1'460 + of_era / 36'524 - of_era / (kDaysOfAnEra - 1)) / 365;
  const std::int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
  const std::int64_t month = (5 * of_year + 2) / 153;  // 0 is March
  const std::int64_t day = of_year - (153 * month + 2) / 5 + 1;
  return {.year = year + era * 400 + (month >= 10 ? 1 : 0),
          .month = static_cast<unsigned>(month < 10 ? month + 3 : month - 9),
          .day = static_cast<unsigned>(day)};
}

std::string date_text(const CivilDate& date) {
  return fmt::format("{}{:04}-{:02}-{:02}", date.year < 0 ? "-" : "",
                     date.year < 0 ? -date.year : date.year, date.month, date.day);
}

std::string utc_text(std::chrono::sys_seconds time) {
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::hh_mm_ss clock{time - day};
  return fmt::format("{}T{:02}:{:02}:{:02}Z", date_text(civil_date(day.time_since_epoch().count())),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count());
}

}  // namespace tacit

#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace tacit {

// A day of the proleptic Gregorian calendar. Years are wider than those of std::chrono, which wrap
// beyond 32767: engines have days of the year 5,881,580. The year before 1 is 0.
struct CivilDate {
  std::int64_t year = 1970;
  unsigned month = 1;
  unsigned day = 1;
  friend bool operator==(const CivilDate&, const CivilDate&) = default;
};

// `days` are counted from 1970-01-01; any that a 64-bit number of microseconds or a 32-bit number
// of days can hold.
[[nodiscard]] CivilDate civil_date(std::int64_t days);

// "2020-02-29"; a year has at least four digits and a minus before 0.
[[nodiscard]] std::string date_text(const CivilDate& date);

// "2020-02-29T10:00:00Z"
[[nodiscard]] std::string utc_text(std::chrono::sys_seconds time);

}  // namespace tacit

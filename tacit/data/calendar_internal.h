#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tacit/base/int128.h"

namespace tacit {

// Days and microseconds since 1970-01-01 of the years 1 to 9999, in the proleptic Gregorian
// calendar: outside of them engines disagree, and no function of private SQL has a value.
inline constexpr int128 kFirstDay = -719'162;
inline constexpr int128 kLastDay = 2'932'896;
inline constexpr int128 kMicrosecondsADay = 86'400'000'000;

// "2020-02-29"; the day must lie between kFirstDay and kLastDay.
std::string date_text(int128 day);
// "2020-02-29 10:00:00.000500"; the day must lie between them.
std::string timestamp_text(int128 microsecond);

// The inverse of both: of "2020-02-29", and of "2020-02-29 10:00:00" with or without a fraction of
// one to six digits. Nothing for other texts and for days that do not exist.
std::optional<int128> parse_date(std::string_view text);
std::optional<int128> parse_timestamp(std::string_view text);

}  // namespace tacit

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "tacit/base/civil_date.h"
#include "tacit/data/calendar_internal.h"

namespace tacit {
namespace {

constexpr int128 kMicrosecondsASecond = 1'000'000;

// Takes `count` digits from the front.
std::optional<int> take_digits(std::string_view& text, std::size_t count) {
  if (text.size() < count) return std::nullopt;
  int value = 0;
  for (const char c : text.substr(0, count)) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  text.remove_prefix(count);
  return value;
}

bool take(std::string_view& text, char wanted) {
  if (!text.starts_with(wanted)) return false;
  text.remove_prefix(1);
  return true;
}

std::optional<int128> take_date(std::string_view& text) {
  const auto year = take_digits(text, 4);
  if (!year || !take(text, '-')) return std::nullopt;
  const auto month = take_digits(text, 2);
  if (!month || !take(text, '-')) return std::nullopt;
  const auto day = take_digits(text, 2);
  if (!day) return std::nullopt;
  const std::chrono::year_month_day date(std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day)));
  if (*year < 1 || !date.ok()) return std::nullopt;
  return std::chrono::sys_days(date).time_since_epoch().count();
}

// ".5" is 500000 microseconds.
std::optional<int> take_fraction(std::string_view& text) {
  constexpr std::size_t kMostDigits = 6;
  if (text.empty()) return 0;
  const std::size_t digits = text.size() - 1;
  if (!take(text, '.') || digits < 1 || digits > kMostDigits) return std::nullopt;
  auto value = take_digits(text, digits);
  for (std::size_t i = digits; value && i < kMostDigits; ++i) *value *= 10;
  return value;
}

}  // namespace

std::string date_text(int128 day) { return date_text(civil_date(static_cast<std::int64_t>(day))); }

std::string timestamp_text(int128 microsecond) {
  const int128 within = (microsecond % kMicrosecondsADay + kMicrosecondsADay) % kMicrosecondsADay;
  const auto seconds = static_cast<int>(within / kMicrosecondsASecond);
  return fmt::format("{} {:02}:{:02}:{:02}.{:06}",
                     date_text((microsecond - within) / kMicrosecondsADay), seconds / 3600,
                     seconds / 60 % 60, seconds % 60,
                     static_cast<int>(within % kMicrosecondsASecond));
}

std::optional<int128> parse_date(std::string_view text) {
  const auto date = take_date(text);
  return text.empty() ? date : std::nullopt;
}

std::optional<int128> parse_timestamp(std::string_view text) {
  const auto date = take_date(text);
  if (!date || !take(text, ' ')) return std::nullopt;
  const auto hour = take_digits(text, 2);
  if (!hour || !take(text, ':')) return std::nullopt;
  const auto minute = take_digits(text, 2);
  if (!minute || !take(text, ':')) return std::nullopt;
  const auto second = take_digits(text, 2);
  if (!second || *hour > 23 || *minute > 59 || *second > 59) return std::nullopt;
  const auto fraction = take_fraction(text);
  if (!fraction || !text.empty()) return std::nullopt;
  const int seconds = (*hour * 60 + *minute) * 60 + *second;
  return *date * kMicrosecondsADay + seconds * kMicrosecondsASecond + *fraction;
}

}  // namespace tacit

#include "tacit/attacks/generalized_value.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <utility>

namespace tacit::attacks {
namespace {

using std::string_view;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

string_view trimmed(string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

std::optional<double> number_of(string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || std::isnan(value)) return {};
  return value;
}

std::optional<int> digits(string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.starts_with('-')) return {};
  return value;
}

std::optional<std::chrono::year_month> month_of(string_view text) {
  if (text.size() != 7 || text[4] != '-') return {};
  const auto year = digits(text.substr(0, 4));
  const auto month = digits(text.substr(5));
  if (!year || !month || *month < 1 || *month > 12) return {};
  return std::chrono::year(*year) / std::chrono::month(static_cast<unsigned>(*month));
}

// "2020-02-29", alone or before a time of day.
std::optional<std::chrono::year_month_day> date_of(string_view text) {
  if (text.size() < 10 || (text.size() > 10 && text[10] != ' ' && text[10] != 'T')) return {};
  const auto month = month_of(text.substr(0, 7));
  const auto day = digits(text.substr(8, 2));
  if (!month || !day || text[7] != '-') return {};
  const auto date = *month / std::chrono::day(static_cast<unsigned>(*day));
  if (!date.ok()) return {};
  return date;
}

std::int64_t day_number(const std::chrono::year_month_day& date) {
  return std::chrono::sys_days(date).time_since_epoch().count();
}

double day_number_of(const std::chrono::year_month_day& date) {
  return static_cast<double>(day_number(date));
}

std::vector<std::string> characters(string_view text) {
  std::vector<std::string> out;
  for (const char c : text) {
    const bool continues = (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
    if (continues && !out.empty()) {
      out.back() += c;
    } else {
      out.emplace_back(1, c);
    }
  }
  return out;
}

// The text before and after a separator that stands in it.
std::optional<std::pair<string_view, string_view>> split(string_view text, string_view separator) {
  const std::size_t at = text.find(separator, 1);
  if (at == string_view::npos || at + separator.size() >= text.size()) return {};
  return std::pair(trimmed(text.substr(0, at)), trimmed(text.substr(at + separator.size())));
}

bool is_whole(double number) { return std::isfinite(number) && number == std::floor(number); }

}  // namespace

ExactValue::ExactValue(string_view known) : text(known), number(number_of(known)) {
  if (const auto date = date_of(known)) {
    day = day_number(*date);
    year = static_cast<int>(date->year());
  }
}

bool GeneralizedValue::Span::has(double value) const {
  return (low_is_open ? value > low : value >= low) &&
         (high_is_open ? value < high : value <= high);
}

bool GeneralizedValue::Span::agrees(const ExactValue& value) const {
  if (is_of_days) return value.day && has(static_cast<double>(*value.day));
  return value.number ? has(*value.number) : value.day && has(value.year);
}

bool GeneralizedValue::Mask::agrees(string_view value) const {
  std::size_t at = 0;
  for (const std::string& each : characters) {
    if (at >= value.size()) return false;
    std::size_t next = at + 1;
    while (next < value.size() && (static_cast<unsigned char>(value[next]) & 0xC0U) == 0x80U) {
      ++next;
    }
    if (each != "*" && each != value.substr(at, next - at)) return false;
    at = next;
  }
  return at == value.size();
}

bool GeneralizedValue::Ending::agrees(string_view value) const {
  return is_prefix ? value.starts_with(text) : value.ends_with(text);
}

// Both ends numbers or both dates, in order.
std::optional<GeneralizedValue::Span> GeneralizedValue::between(string_view low, string_view high) {
  const auto first = number_of(low);
  const auto last = number_of(high);
  if (first && last && *first <= *last) {
    return Span{.low = *first, .high = *last, .is_of_whole = is_whole(*first) && is_whole(*last)};
  }
  const auto from = date_of(low);
  const auto to = date_of(high);
  if (from && to && *from <= *to) {
    return Span{.low = day_number_of(*from), .high = day_number_of(*to), .is_of_days = true};
  }
  return {};
}

// "[30, 40)", "[30, 40[", "]29, 39]", "[20-30]".
std::optional<GeneralizedValue::Span> GeneralizedValue::in_brackets(string_view label) {
  if (label.size() < 3 || string_view("[(]").find(label.front()) == string_view::npos ||
      string_view("])[").find(label.back()) == string_view::npos) {
    return {};
  }
  const string_view inside = trimmed(label.substr(1, label.size() - 2));
  std::optional<Span> span;
  for (const string_view separator : {",", ";", "..", ":"}) {
    if (const auto ends = split(inside, separator); ends && !span) {
      span = between(ends->first, ends->second);
    }
  }
  if (!span) span = dashed(inside);
  if (!span) return {};
  span->low_is_open = label.front() != '[';
  span->high_is_open = label.back() != ']';
  return span;
}

// "<0", "<=0", ">89", ">=90", "90+".
std::optional<GeneralizedValue::Span> GeneralizedValue::one_sided(string_view label) {
  struct Sign {
    string_view text;
    bool is_below;
    bool is_open;
  };
  constexpr std::array<Sign, 6> kSigns = {{{"<=", true, false},
                                           {">=", false, false},
                                           {"≤", true, false},
                                           {"≥", false, false},
                                           {"<", true, true},
                                           {">", false, true}}};
  const auto side = [](string_view end, bool is_below, bool is_open) -> std::optional<Span> {
    const auto number = number_of(end);
    const auto date = date_of(end);
    if (!number && !date) return {};
    const double bound = number ? *number : day_number_of(*date);
    return Span{.low = is_below ? -kInfinity : bound,
                .high = is_below ? bound : kInfinity,
                .low_is_open = is_open,
                .high_is_open = is_open,
                .is_of_days = !number};
  };
  for (const Sign& sign : kSigns) {
    if (label.starts_with(sign.text)) {
      return side(trimmed(label.substr(sign.text.size())), sign.is_below, sign.is_open);
    }
  }
  if (label.ends_with('+')) return side(label.substr(0, label.size() - 1), false, false);
  return {};
}

// "30-39"; a minus may belong to a number, so each is tried as the dash.
std::optional<GeneralizedValue::Span> GeneralizedValue::dashed(string_view label) {
  for (std::size_t at = label.find('-', 1); at != string_view::npos; at = label.find('-', at + 1)) {
    const auto span = between(trimmed(label.substr(0, at)), trimmed(label.substr(at + 1)));
    if (span) return span;
  }
  return {};
}

// "1987-11-30", "1987-11", "1987-Q4".
std::optional<GeneralizedValue::Span> GeneralizedValue::part_of_calendar(string_view label) {
  using std::chrono::last;
  using std::chrono::months;
  const auto days = [](std::chrono::year_month from, std::chrono::year_month to) {
    return Span{
        .low = day_number_of(from / 1), .high = day_number_of(to / last), .is_of_days = true};
  };
  if (const auto month = month_of(label)) return days(*month, *month);
  if (const auto date = date_of(label); date && label.size() == 10) {
    return Span{.low = day_number_of(*date), .high = day_number_of(*date), .is_of_days = true};
  }
  if (label.size() == 7 && label.substr(4, 2) == "-Q" && label[6] >= '1' && label[6] <= '4') {
    const auto year = digits(label.substr(0, 4));
    if (!year) return {};
    const auto first = std::chrono::year(*year) /
                       std::chrono::month(static_cast<unsigned>((3 * (label[6] - '1')) + 1));
    return days(first, first + months(2));
  }
  return {};
}

std::optional<GeneralizedValue::Span> GeneralizedValue::span_of(string_view label) {
  if (const auto number = number_of(label)) {
    return Span{.low = *number, .high = *number, .is_of_whole = is_whole(*number)};
  }
  if (const auto span = in_brackets(label)) return span;
  if (const auto span = one_sided(label)) return span;
  for (const string_view separator : {" .. ", " to ", "–"}) {
    if (const auto ends = split(label, separator)) {
      if (const auto span = between(ends->first, ends->second)) return span;
    }
  }
  if (const auto span = dashed(label)) return span;
  return part_of_calendar(label);
}

GeneralizedValue::Meaning GeneralizedValue::starred(string_view label) {
  const auto stars = std::ranges::count(label, '*');
  if (std::cmp_equal(stars, label.size())) return Everything{};
  if (stars == 1 && label.ends_with('*')) {
    return Ending{.text = std::string(label.substr(0, label.size() - 1)), .is_prefix = true};
  }
  if (stars == 1 && label.starts_with('*')) {
    return Ending{.text = std::string(label.substr(1)), .is_prefix = false};
  }
  return Mask{characters(label)};
}

// "Asia, Europe". A value can have commas itself, so up to three neighbours are one as well.
GeneralizedValue::Choice GeneralizedValue::listed(string_view inside) {
  std::vector<std::size_t> ends;
  for (std::size_t at = inside.find(','); at != string_view::npos; at = inside.find(',', at + 1)) {
    ends.push_back(at);
  }
  ends.push_back(inside.size());
  Choice out{.size = ends.size()};
  for (std::size_t first = 0; first < ends.size(); ++first) {
    const std::size_t begin = first == 0 ? 0 : ends[first - 1] + 1;
    for (std::size_t last = first; last < std::min(first + 3, ends.size()); ++last) {
      out.texts.emplace_back(trimmed(inside.substr(begin, ends[last] - begin)));
    }
  }
  std::ranges::sort(out.texts);
  return out;
}

GeneralizedValue::Meaning GeneralizedValue::meaning_of(string_view label) {
  if (label.empty()) return Everything{};
  if (label.find('*') != string_view::npos) return starred(label);
  if (const auto span = span_of(label)) return *span;
  if (label.size() > 2 && label.front() == '{' && label.back() == '}') {
    return listed(label.substr(1, label.size() - 2));
  }
  if (const auto ends = split(label, " .. ")) {
    // Another order than the alphabet's, which only the hierarchy tells.
    if (ends->first > ends->second) return Everything{};
    return Alphabet{.first = std::string(ends->first), .last = std::string(ends->second)};
  }
  return Literal{};
}

GeneralizedValue::GeneralizedValue(string_view label)
    : label_(label), meaning_(meaning_of(label)) {}

GeneralizedValue GeneralizedValue::literal(string_view label) {
  GeneralizedValue out("");
  out.label_ = label;
  out.meaning_ = Literal{};
  return out;
}

std::vector<GeneralizedValue> GeneralizedValue::read(const std::vector<std::string>& labels,
                                                     const anonymize::Hierarchy& hierarchy) {
  std::unordered_map<std::string, std::vector<std::uint32_t>> below;
  for (std::size_t level = 0; level < hierarchy.levels(); ++level) {
    for (std::uint32_t leaf = 0; leaf < hierarchy.leaves(); ++leaf) {
      below[hierarchy.label(level, hierarchy.at(level, leaf))].push_back(leaf);
    }
  }
  std::vector<GeneralizedValue> out;
  for (const std::string& label : labels) {
    GeneralizedValue& read = out.emplace_back(label);
    const auto found = below.find(label);
    if (found == below.end() || label.empty()) continue;
    Choice choice;
    for (const std::uint32_t leaf : found->second) choice.texts.push_back(hierarchy.label(0, leaf));
    std::ranges::sort(choice.texts);
    const auto repeated = std::ranges::unique(choice.texts);
    choice.texts.erase(repeated.begin(), repeated.end());
    choice.size = choice.texts.size();
    if (choice.size == hierarchy.leaves()) {
      read.meaning_ = Everything{};
    } else {
      read.meaning_ = std::move(choice);
    }
  }
  return out;
}

bool GeneralizedValue::agrees(const ExactValue& value) const {
  if (value.text.empty() || is_everything() || value.text == label_) return true;
  struct Judge {
    const ExactValue& value;
    bool operator()(const Literal& /*other*/) const { return false; }
    bool operator()(const Everything& /*all*/) const { return true; }
    bool operator()(const Span& span) const { return span.agrees(value); }
    bool operator()(const Mask& mask) const { return mask.agrees(value.text); }
    bool operator()(const Ending& ending) const { return ending.agrees(value.text); }
    bool operator()(const Alphabet& ends) const {
      return ends.first <= value.text && value.text <= ends.last;
    }
    bool operator()(const Choice& choice) const {
      return std::ranges::binary_search(choice.texts, value.text);
    }
  };
  return std::visit(Judge{value}, meaning_);
}

const std::vector<std::string>* GeneralizedValue::choice() const {
  const auto* const choice = std::get_if<Choice>(&meaning_);
  return choice == nullptr ? nullptr : &choice->texts;
}

std::optional<double> GeneralizedValue::candidates() const {
  if (is_literal()) return 1;
  if (const auto* const choice = std::get_if<Choice>(&meaning_)) {
    return static_cast<double>(choice->size);
  }
  const auto* const span = std::get_if<Span>(&meaning_);
  if (span == nullptr || !std::isfinite(span->high - span->low)) return {};
  if (span->low == span->high) return 1;
  if (!span->is_of_days && !span->is_of_whole) return {};
  return span->high - span->low + 1 - (span->low_is_open ? 1 : 0) - (span->high_is_open ? 1 : 0);
}

}  // namespace tacit::attacks

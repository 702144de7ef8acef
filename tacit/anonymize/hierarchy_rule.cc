#include "tacit/anonymize/hierarchy_rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <sstream>
#include <utility>

#include "tacit/anonymize/csv_text.h"
#include "tacit/base/int128.h"

namespace tacit::anonymize {
namespace {

constexpr const char* kEverything = "*";
// A node keeps its levels in bytes.
constexpr std::size_t kMostLevels = 100;

using Rows = std::vector<Fields>;
using Part = rule::DateParts::Part;

std::unexpected<Error> wrong(const std::string& column, std::string what, std::string remedy) {
  return bad_input(std::move(what), fmt::format("the hierarchy of {}", column), std::move(remedy));
}

// Values but the empty one, which no rule can say anything of.
std::vector<Value> present(const std::vector<Value>& values) {
  std::vector<Value> out = values;
  std::erase_if(out, [](const Value& value) { return value.text.empty(); });
  return out;
}

Result<std::vector<Rational>> numbers(const std::vector<Value>& values, const std::string& column) {
  std::vector<Rational> out;
  for (const Value& value : values) {
    auto number = Rational::parse(value.text);
    if (!number) {
      return wrong(column, fmt::format("'{}' is not a number", value.text),
                   "mend the value, or give the column a hierarchy for texts or a CSV file");
    }
    out.push_back(*std::move(number));
  }
  return out;
}

bool is_whole(const Rational& number) { return number.mpq().get_den() == 1; }

// "20-24" where all numbers are whole, else "[20, 22.5)".
std::string interval_label(const Rational& low, const Rational& high, bool is_of_whole_numbers) {
  if (!is_of_whole_numbers) return fmt::format("[{}, {})", low.to_string(), high.to_string());
  const Rational last = high - Rational(1);
  if (last == low) return low.to_string();
  return fmt::format(fmt::runtime(low.sign() < 0 ? "{} to {}" : "{}-{}"), low.to_string(),
                     last.to_string());
}

Result<Rows> build(const rule::Suppress& /*rule*/, const std::vector<Value>& values,
                   const std::string& /*column*/) {
  Rows rows;
  for (const Value& value : values) rows.push_back({value.text, kEverything});
  return rows;
}

Result<Rows> build(const rule::Intervals& rule, const std::vector<Value>& values,
                   const std::string& column) {
  TACIT_ASSIGN_OR_RETURN(const auto all, numbers(values, column));
  const Rational origin = rule.from.value_or(Rational(0));
  const bool whole = std::ranges::all_of(all, is_whole) && is_whole(origin) &&
                     std::ranges::all_of(rule.widths, is_whole) &&
                     is_whole(rule.to.value_or(Rational(0)));
  const auto label = [&](const Rational& number, const Rational& width) {
    if (rule.from && number < *rule.from) return "<" + rule.from->to_string();
    if (rule.to && number >= *rule.to) return ">=" + rule.to->to_string();
    const Rational low = origin + Rational(mpq_class(((number - origin) / width).floor())) * width;
    const Rational high = low + width;
    return interval_label(low, rule.to ? std::min(high, *rule.to) : high, whole);
  };
  Rows rows;
  for (std::size_t i = 0; i < values.size(); ++i) {
    Fields& row = rows.emplace_back(Fields{values[i].text});
    for (const Rational& width : rule.widths) row.push_back(label(all[i], width));
    row.emplace_back(kEverything);
  }
  return rows;
}

// By number where all are numbers, else by text.
std::vector<Value> in_order(std::vector<Value> values) {
  std::vector<std::pair<Rational, Value>> numbered;
  for (const Value& value : values) {
    auto number = Rational::parse(value.text);
    if (!number) {
      std::ranges::sort(values, {}, &Value::text);
      return values;
    }
    numbered.emplace_back(*std::move(number), value);
  }
  std::ranges::sort(numbered, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : a.second.text < b.second.text;
  });
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::move(numbered[i].second);
  return values;
}

// Rows for values in order, where `group` says to which group a value falls at each level.
template <class Group>
Rows grouped(const std::vector<Value>& values, std::size_t levels, const Group& group) {
  Rows rows;
  for (const Value& value : values) rows.push_back({value.text});
  for (std::size_t level = 0; level < levels; ++level) {
    std::map<std::uint64_t, std::pair<std::string, std::string>> ends;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto [found, is_new] =
          ends.try_emplace(group(level, i), values[i].text, values[i].text);
      if (!is_new) found->second.second = values[i].text;
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto& [first, last] = ends.at(group(level, i));
      rows[i].push_back(first == last ? first : fmt::format("{} .. {}", first, last));
    }
  }
  for (Fields& row : rows) row.emplace_back(kEverything);
  return rows;
}

Result<Rows> build(const rule::Quantiles& rule, const std::vector<Value>& values,
                   const std::string& /*column*/) {
  const std::vector<Value> sorted = in_order(values);
  std::uint64_t total = 0;
  std::vector<std::uint64_t> middles;  // in half rows
  for (const Value& value : sorted) {
    middles.push_back((2 * total) + value.rows);
    total += value.rows;
  }
  return grouped(sorted, rule.groups.size(), [&](std::size_t level, std::size_t i) {
    // floor(floor(16 x) / 4) = floor(4 x): groups nest where their numbers divide.
    return static_cast<std::uint64_t>(uint128{middles[i]} * rule.groups[level] /
                                      (2 * uint128{total}));
  });
}

Result<Rows> build(const rule::Order& rule, const std::vector<Value>& values,
                   const std::string& column) {
  std::vector<Value> sorted;
  if (rule.values.empty()) {
    sorted = in_order(values);
  } else {
    for (const std::string& text : rule.values) sorted.push_back({.text = text});
    for (const Value& value : values) {
      if (std::ranges::find(rule.values, value.text) != rule.values.end()) continue;
      return wrong(column, fmt::format("the order does not hold '{}'", value.text),
                   "write every value of the column into it");
    }
  }
  return grouped(sorted, rule.sizes.size(),
                 [&](std::size_t level, std::size_t i) { return i / rule.sizes[level]; });
}

// The characters of a UTF-8 text, each with the bytes that continue it.
std::vector<std::string_view> characters(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    std::size_t size = 1;
    while (size < text.size() && (static_cast<unsigned char>(text[size]) & 0xC0U) == 0x80U) ++size;
    out.push_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return out;
}

std::string masked(std::string_view text, std::size_t stars, rule::Mask::From from) {
  const auto all = characters(text);
  std::string out;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool is_star = from == rule::Mask::From::kLeft ? i < stars : i + stars >= all.size();
    out += is_star ? kEverything : all[i];
  }
  return out;
}

Result<Rows> build(const rule::Mask& rule, const std::vector<Value>& values,
                   const std::string& column) {
  std::size_t longest = 1;
  for (const Value& value : values) {
    longest = std::max(longest, characters(value.text).size());
  }
  const std::size_t levels = rule.levels == 0 ? longest - 1 : rule.levels;
  if (levels > kMostLevels) {
    return wrong(column, fmt::format("a value has {} characters: too many levels", longest),
                 fmt::format("write levels = 4, or another number up to {}", kMostLevels));
  }
  Rows rows;
  for (const Value& value : values) {
    Fields& row = rows.emplace_back(Fields{value.text});
    for (std::size_t stars = 1; stars <= levels; ++stars) {
      row.push_back(masked(value.text, stars, rule.from));
    }
    row.emplace_back(kEverything);
  }
  return rows;
}

Result<Rows> build(const rule::Prefix& rule, const std::vector<Value>& values,
                   const std::string& /*column*/) {
  Rows rows;
  for (const Value& value : values) {
    Fields& row = rows.emplace_back(Fields{value.text});
    const auto all = characters(value.text);
    for (const std::uint64_t length : rule.lengths) {
      std::string label;
      for (std::size_t i = 0; i < std::min<std::size_t>(length, all.size()); ++i) label += all[i];
      row.push_back(label + kEverything);
    }
    row.emplace_back(kEverything);
  }
  return rows;
}

constexpr std::array<std::pair<std::string_view, Part>, 6> kParts = {{
    {"day", Part::kDay},
    {"month", Part::kMonth},
    {"quarter", Part::kQuarter},
    {"year", Part::kYear},
    {"decade", Part::kDecade},
    {"century", Part::kCentury},
}};

// "2020-02-29", alone or before a time of day.
bool is_date(std::string_view text) {
  constexpr std::string_view kLike = "dddd-dd-dd";
  if (text.size() < kLike.size() ||
      (text.size() > kLike.size() && text[10] != ' ' && text[10] != 'T')) {
    return false;
  }
  return std::ranges::equal(text.substr(0, kLike.size()), kLike, [](char c, char like) {
    return like == 'd' ? c >= '0' && c <= '9' : c == like;
  });
}

std::string date_label(std::string_view date, Part part) {
  std::string year(date.substr(0, 4));
  switch (part) {
    case Part::kDay:
      return std::string(date.substr(0, 10));
    case Part::kMonth:
      return std::string(date.substr(0, 7));
    case Part::kQuarter: {
      const int month = (10 * (date[5] - '0')) + (date[6] - '0');
      return fmt::format("{}-Q{}", year, ((month + 2) / 3));
    }
    case Part::kYear:
      return year;
    case Part::kDecade:
      return fmt::format("{0}0-{0}9", year.substr(0, 3));
    case Part::kCentury:
      return fmt::format("{0}00-{0}99", year.substr(0, 2));
  }
  std::unreachable();
}

Result<Rows> build(const rule::DateParts& rule, const std::vector<Value>& values,
                   const std::string& column) {
  Rows rows;
  for (const Value& value : values) {
    if (!is_date(value.text)) {
      return wrong(column, fmt::format("'{}' is not a date", value.text),
                   "write dates as 2020-02-29, or give the column another hierarchy");
    }
    Fields& row = rows.emplace_back(Fields{value.text});
    for (const Part part : rule.parts) row.push_back(date_label(value.text, part));
    row.emplace_back(kEverything);
  }
  return rows;
}

Result<Rows> build(const rule::Taxonomy& rule, const std::vector<Value>& values,
                   const std::string& column) {
  std::ifstream stream(rule.file, std::ios::binary);
  std::ostringstream text;
  if (stream) text << stream.rdbuf();
  if (!stream) {
    return bad_input(fmt::format("the hierarchy of {} cannot be read", column), rule.file.string(),
                     "is it there, and may you read it?");
  }
  const std::string content = std::move(text).str();
  TACIT_ASSIGN_OR_RETURN(
      Rows rows,
      parse_csv(content, rule.delimiter.value_or(guess_delimiter(content)), rule.file.string()));
  std::vector<std::string> known;
  for (const Fields& row : rows) known.push_back(row.front());
  std::ranges::sort(known);
  std::vector<std::string> missing;
  for (const Value& value : values) {
    if (!std::ranges::binary_search(known, value.text)) missing.push_back(value.text);
  }
  if (missing.empty()) return rows;
  return bad_input(
      fmt::format("the hierarchy of {} does not hold '{}'{}", column, missing.front(),
                  missing.size() == 1 ? std::string()
                                      : fmt::format(" and {} more values", missing.size() - 1)),
      rule.file.string(), "add a line for every value of the column");
}

// What is missing has a value of its own at each level, up to the last where that joins all.
void add_empty(Rows& rows) {
  if (std::ranges::any_of(rows, [](const Fields& row) { return row.front().empty(); })) return;
  Fields empty{""};
  const std::size_t levels = rows.empty() ? 2 : rows.front().size();
  for (std::size_t level = 1; level < levels; ++level) {
    const bool joins_all = level + 1 == levels && std::ranges::all_of(rows, [&](const Fields& row) {
                             return row.size() > level && row[level] == rows.front()[level];
                           });
    empty.push_back(!joins_all ? "" : rows.empty() ? kEverything : rows.front()[level]);
  }
  rows.push_back(std::move(empty));
}

}  // namespace

Result<Hierarchy> build_hierarchy(const HierarchyRule& rule, const std::vector<Value>& values,
                                  const std::string& column) {
  const std::vector<Value> given = present(values);
  TACIT_ASSIGN_OR_RETURN(
      Rows rows, std::visit([&](const auto& each) { return build(each, given, column); }, rule));
  if (given.size() < values.size()) add_empty(rows);
  auto hierarchy = Hierarchy::create(rows, column);
  const auto* const taxonomy = std::get_if<rule::Taxonomy>(&rule);
  if (!hierarchy && taxonomy != nullptr) {
    hierarchy.error().where = fmt::format("{} ({})", taxonomy->file.string(), column);
  }
  return hierarchy;
}

std::optional<Part> date_part(std::string_view name) {
  for (const auto& [text, part] : kParts) {
    if (text == name) return part;
  }
  return std::nullopt;
}

}  // namespace tacit::anonymize

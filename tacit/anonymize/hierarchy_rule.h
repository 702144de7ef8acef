#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tacit/anonymize/hierarchy.h"
#include "tacit/base/error.h"
#include "tacit/base/rational.h"

namespace tacit::anonymize {

// A value of a column, as text, and how many rows have it. NULL is the empty text.
struct Value {
  std::string text;
  std::uint64_t rows = 0;
};

// How a hierarchy is made from the values of a column. All but a taxonomy end in "*", which stands
// for everything.
namespace rule {

// The value, then "*".
struct Suppress {};
// Intervals of these widths, counted from `from` (else 0), each a multiple of the one before. What
// is below `from` or not below `to` is one value from level 1 on.
struct Intervals {
  std::vector<Rational> widths;
  std::optional<Rational> from;
  std::optional<Rational> to;
};
// Numbers or texts in their order, in so many groups of about as many rows; each number divides the
// one before.
struct Quantiles {
  std::vector<std::uint64_t> groups;
};
// One character more becomes a star at each level, from an end.
struct Mask {
  enum class From : bool { kRight, kLeft };
  From from = From::kRight;
  std::size_t levels = 0;  // 0: until nothing is left
};
// The first characters, so many at each level, ever fewer.
struct Prefix {
  std::vector<std::uint64_t> lengths;
};
// What is kept of a date, ever less.
struct DateParts {
  enum class Part : std::uint8_t { kDay, kMonth, kQuarter, kYear, kDecade, kCentury };
  std::vector<Part> parts;
};
// Neighbours in an order are joined, so many at each level, each a multiple of the one before.
struct Order {
  std::vector<std::string> values;  // empty: numbers or texts in their own order
  std::vector<std::uint64_t> sizes;
};
// A CSV file in the layout of ARX: a line for each value, then what it becomes, level by level.
struct Taxonomy {
  std::filesystem::path file;
  std::optional<char> delimiter;
};

}  // namespace rule

using HierarchyRule = std::variant<rule::Suppress, rule::Intervals, rule::Quantiles, rule::Mask,
                                   rule::Prefix, rule::DateParts, rule::Order, rule::Taxonomy>;

// The hierarchy of a column with these values, each of which it holds. `column` names it in errors.
// For the steward: errors repeat values.
Result<Hierarchy> build_hierarchy(const HierarchyRule& rule, const std::vector<Value>& values,
                                  const std::string& column);

// "day", "month", "quarter", "year", "decade", "century".
std::optional<rule::DateParts::Part> date_part(std::string_view name);

}  // namespace tacit::anonymize

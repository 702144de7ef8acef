#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tacit/data/table.h"

namespace tacit {

// A decimal number as its digits: 12.50 is 1250 with scale 2.
struct Decimal {
  int128 unscaled = 0;
  int scale = 0;
};

// Reads "-12.50"; nothing for NaN, Infinity, or more digits than 38.
std::optional<Decimal> parse_decimal(std::string_view text);

// The same number with `scale` digits after the point; nothing where digits would be lost or there
// is no room.
std::optional<int128> rescaled(const Decimal& value, int scale);

// "12.50"; the digits after the point are as many as the scale.
std::string to_string(const Decimal& value);

// Turns a column of numbers written as text into decimals with the largest scale among them. False,
// and nothing is changed, where one is no decimal of 38 digits.
bool numerics_to_decimal(Type& type, std::vector<Cell>& cells);

}  // namespace tacit

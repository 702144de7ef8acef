#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tacit::anonymize {

// A text as it may stand in a page, between tags and in quoted attributes: what has a meaning in
// markup is written as entities; bytes that are no UTF-8 and characters that XML forbids become
// U+FFFD.
std::string escaped(std::string_view text);

// At most `characters` of a text, the last of them an ellipsis where some are left out.
std::string shortened(std::string_view text, std::size_t characters);

// "30,162"
std::string grouped_digits(std::uint64_t number);
// "3.00%"; small parts keep two digits that count.
std::string percent(double part);
// A number for an axis: "250k", "0.25".
std::string axis_number(double value);

}  // namespace tacit::anonymize

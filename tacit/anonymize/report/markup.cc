#include "tacit/anonymize/report/markup.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace tacit::anonymize {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

// A character and its bytes; the byte alone, as U+FFFD, where it begins none.
struct Character {
  char32_t code = 0xFFFD;
  std::size_t bytes = 1;
};

Character decode(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return {.code = first, .bytes = 1};
  const std::size_t bytes = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < bytes) return {};
  char32_t code = first & (0xFFU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) return {};
    code = (code << 6U) | (byte(i) & 0x3FU);
  }
  constexpr std::array<char32_t, 3> kLeast = {0x80, 0x800, 0x10000};
  const bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < kLeast[bytes - 2] || code > 0x10FFFF || is_surrogate) return {};
  return {.code = code, .bytes = bytes};
}

bool is_forbidden(char32_t code) {
  const bool is_control = code < 0x20 && code != '\t' && code != '\n' && code != '\r';
  return is_control || (code >= 0x7F && code < 0xA0) || code == 0xFFFE || code == 0xFFFF;
}

std::string_view entity(char32_t code) {
  switch (code) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return {};
  }
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const Character next = decode(text);
    const std::string_view own = text.substr(0, next.bytes);
    text.remove_prefix(next.bytes);
    if (next.code == 0xFFFD || is_forbidden(next.code)) {
      out += kReplacement;
    } else if (const std::string_view named = entity(next.code); !named.empty()) {
      out += named;
    } else {
      out += own;
    }
  }
  return out;
}

std::string shortened(std::string_view text, std::size_t characters) {
  std::size_t at = 0;
  std::size_t cut = 0;  // after one character less
  for (std::size_t i = 0; at < text.size(); ++i) {
    if (i == characters) return std::string(text.substr(0, cut)) + "\xE2\x80\xA6";
    if (i + 1 == characters) cut = at;
    at += decode(text.substr(at)).bytes;
  }
  return std::string(text);
}

std::string grouped_digits(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, ",");
  return digits;
}

std::string percent(double part) {
  return part == 0 || part >= 0.01 ? fmt::format("{:.2f}%", 100 * part)
                                   : fmt::format("{:.2g}%", 100 * part);
}

std::string axis_number(double value) {
  constexpr std::array<std::pair<double, const char*>, 4> kUnits = {
      {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}}};
  for (const auto& [unit, name] : kUnits) {
    if (std::abs(value) >= unit) return fmt::format("{:.4g}{}", value / unit, name);
  }
  return fmt::format("{:.4g}", value);
}

}  // namespace tacit::anonymize

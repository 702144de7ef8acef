#include <algorithm>

#include "tacit/data/decimal_internal.h"

namespace tacit {
namespace {

constexpr int kMostDigits = 38;

// 10^38 - 1, the largest number of 38 digits.
constexpr int128 largest_decimal() {
  int128 value = 0;
  for (int i = 0; i < kMostDigits; ++i) value = value * 10 + 9;
  return value;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::optional<Decimal> parse_decimal(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  if (text.empty() || !is_digit(text.back())) return std::nullopt;
  Decimal result;
  bool is_after_point = false;
  for (const char c : text) {
    if (c == '.' && !is_after_point) {
      is_after_point = true;
      continue;
    }
    if (!is_digit(c) || result.unscaled > largest_decimal() / 10) return std::nullopt;
    result.unscaled = result.unscaled * 10 + (c - '0');
    if (result.unscaled > largest_decimal()) return std::nullopt;
    if (is_after_point) ++result.scale;
  }
  if (result.scale > kMostDigits) return std::nullopt;
  if (is_negative) result.unscaled = -result.unscaled;
  return result;
}

std::optional<int128> rescaled(const Decimal& value, int scale) {
  int128 result = value.unscaled;
  for (int i = scale; i < value.scale; ++i) {
    if (result % 10 != 0) return std::nullopt;
    result /= 10;
  }
  for (int i = value.scale; i < scale; ++i) {
    if (__builtin_mul_overflow(result, int128{10}, &result)) return std::nullopt;
  }
  if (result > largest_decimal() || result < -largest_decimal()) return std::nullopt;
  return result;
}

std::string to_string(const Decimal& value) {
  // Negated as an unsigned number, so that the least one has a magnitude too.
  const bool is_negative = value.unscaled < 0;
  auto rest = static_cast<uint128>(value.unscaled);
  if (is_negative) rest = -rest;
  std::string digits;
  for (int i = 0; rest != 0 || i <= value.scale; ++i) {
    if (i == value.scale && i > 0) digits += '.';
    digits += static_cast<char>('0' + static_cast<int>(rest % 10));
    rest /= 10;
  }
  if (is_negative) digits += '-';
  std::ranges::reverse(digits);
  return digits;
}

bool numerics_to_decimal(Type& type, std::vector<Cell>& cells) {
  std::vector<std::optional<Decimal>> numbers(cells.size());
  int scale = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const auto* const text = std::get_if<std::string>(&cells[i]);
    if (text == nullptr) continue;
    const auto number = parse_decimal(*text);
    if (!number) return false;
    scale = std::max(scale, number->scale);
    numbers[i] = number;
  }
  std::vector<Cell> result(cells.size());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::optional<Decimal>& number = numbers[i];
    if (!number) continue;
    const auto value = rescaled(*number, scale);
    if (!value) return false;
    result[i] = *value;
  }
  cells = std::move(result);
  type = {TypeKind::kDecimal, kMostDigits, static_cast<std::uint8_t>(scale)};
  return true;
}

}  // namespace tacit

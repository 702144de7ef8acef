#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tacit/base/error.h"

namespace tacit {

// The types that private SQL knows. Every engine has them; narrower ones of an engine (smallint,
// float) are read as the one that holds them.
enum class TypeKind : std::uint8_t {
  kBoolean,
  kInteger,    // 64 bits, signed
  kDecimal,    // precision at most 38
  kReal,       // IEEE double
  kText,       // UTF-8
  kDate,       // days
  kTimestamp,  // microseconds, without a time zone
};

struct Type {
  TypeKind kind = TypeKind::kInteger;
  // Of decimals only.
  std::uint8_t precision = 0;
  std::uint8_t scale = 0;

  [[nodiscard]] bool is_exact_number() const {
    return kind == TypeKind::kInteger || kind == TypeKind::kDecimal;
  }
  [[nodiscard]] bool is_number() const { return is_exact_number() || kind == TypeKind::kReal; }
  bool operator==(const Type&) const = default;
};

inline constexpr Type kBooleanType{TypeKind::kBoolean};
inline constexpr Type kIntegerType{TypeKind::kInteger};
inline constexpr Type kRealType{TypeKind::kReal};
inline constexpr Type kTextType{TypeKind::kText};
inline constexpr Type kDateType{TypeKind::kDate};
inline constexpr Type kTimestampType{TypeKind::kTimestamp};

// "boolean", "integer", "decimal(15,2)", "real", "text", "date" or "timestamp".
std::string name(const Type& type);
// Reads those names, and the usual SQL ones for the same (bigint, double, varchar, ...).
Result<Type> parse_type(std::string_view text);

}  // namespace tacit

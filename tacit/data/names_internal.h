#pragma once

#include <algorithm>
#include <string_view>

namespace tacit {

// Whether two names are the same to SQL, which has no regard to case (of ASCII letters).
inline bool same_name(std::string_view a, std::string_view b) {
  const auto lowered = [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  };
  return std::ranges::equal(a, b, {}, lowered, lowered);
}

}  // namespace tacit

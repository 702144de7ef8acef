#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "tacit/base/error.h"

namespace tacit {

// A SHA-256 digest: the hash of a ledger entry.
struct Digest {
  std::array<std::uint8_t, 32> bytes{};

  static Digest of(std::string_view text);
  // 64 hexadecimal digits; either case is read, lower case is written.
  static Result<Digest> parse(std::string_view hex);
  [[nodiscard]] std::string hex() const;

  bool operator==(const Digest&) const = default;
};

}  // namespace tacit

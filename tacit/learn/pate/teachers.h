#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "tacit/base/error.h"
#include "tacit/random/secure_stream.h"

namespace tacit::learn {

// Which teacher a unit's data goes to: by a keyed hash of the unit alone, so that nobody's presence
// moves anybody else, and nobody can choose a teacher.
class Teachers {
 public:
  // With a fresh key. Refuses less than one teacher, and more than 2^31.
  static Result<Teachers> create(std::uint64_t teachers, SecureStream& stream);

  [[nodiscard]] std::uint64_t count() const { return count_; }
  // From 0 to count() - 1. All rows of a unit must be asked for by the same text.
  [[nodiscard]] std::uint64_t of(std::string_view unit) const;

 private:
  using Key = std::array<std::uint64_t, 4>;
  Teachers(std::uint64_t count, const Key& key) : count_(count), key_(key) {}

  std::uint64_t count_;
  Key key_;
};

}  // namespace tacit::learn

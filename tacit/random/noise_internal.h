#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>

#include "tacit/random/direct_internal.h"
#include "tacit/random/secure_stream.h"
#include "tacit/random/strips_internal.h"
#include "tacit/random/word_block_internal.h"

namespace tacit {

// One distribution with both ways to draw from it: directly, for single values and short vectors,
// and by strips, made when a long vector is first asked for. Which way is taken depends on the
// length alone.
template <class Direct, class Exponent>
class Noise {
 public:
  Noise(Direct direct, Exponent exponent, Support support)
      : direct_(std::move(direct)), exponent_(std::move(exponent)), support_(support) {}

  std::int64_t sample(SecureStream& stream) const {
    return first_success<Path::kFastThenExact>(direct_, stream);
  }

  void fill(SecureStream& stream, std::span<std::int64_t> values) const {
    WordBlock words(stream, values.size());
    if (values.size() >= kLong) {
      strips().fill(words, values);
      return;
    }
    for (std::int64_t& value : values) {
      value = first_success<Path::kFastThenExact>(direct_, words);
    }
  }

 private:
  // From here on the strips are quicker even when they must be made first.
  static constexpr std::size_t kLong = 4096;

  const Strips<Exponent>& strips() const {
    std::call_once(
        made_, [this] { strips_ = std::make_unique<const Strips<Exponent>>(exponent_, support_); });
    return *strips_;
  }

  Direct direct_;
  Exponent exponent_;
  Support support_;
  mutable std::once_flag made_;
  mutable std::unique_ptr<const Strips<Exponent>> strips_;
};

}  // namespace tacit

#pragma once

#include <cstdint>
#include <span>

#include "tacit/random/secure_stream.h"

namespace tacit {

// Uniform on 0, ..., n - 1, exactly. n is at least 1 (0 counts as 1).
std::uint64_t sample_uniform_below(SecureStream& stream, std::uint64_t n);
void fill_uniform_below(SecureStream& stream, std::uint64_t n, std::span<std::uint64_t> values);

}  // namespace tacit

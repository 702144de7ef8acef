#pragma once

#include <cstddef>

namespace tacit {

// Tests that damage a file byte by byte visit every byte; under a sanitizer, which looks for faults
// in the code and slows it tenfold, one in so many.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr std::size_t kByteStride = 23;
#else
inline constexpr std::size_t kByteStride = 1;
#endif
#else
inline constexpr std::size_t kByteStride = 1;
#endif

}  // namespace tacit

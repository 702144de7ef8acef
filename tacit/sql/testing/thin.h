#pragma once

namespace tacit::sql::testing {

// A sanitizer makes a release some ten times as slow: statistical tests then run with few samples,
// to be watched, not to have power.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kThin = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(undefined_behavior_sanitizer)
inline constexpr bool kThin = true;
#else
inline constexpr bool kThin = false;
#endif
#else
inline constexpr bool kThin = false;
#endif

}  // namespace tacit::sql::testing

#pragma once

#include <cstdint>
#include <span>

namespace tacit::testing {

// A seeded stream of words for tests (SplitMix64; Steele, Lea, Flood, 2014). Neither secure nor
// convertible to a SecureStream: no release accepts it, and tests/compile_fail shows that.
class DeterministicStream {
 public:
  static constexpr unsigned kWordBits = 64;

  explicit DeterministicStream(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }

  void fill(std::span<std::uint64_t> words) {
    for (std::uint64_t& word : words) word = next();
  }

 private:
  std::uint64_t state_;
};

}  // namespace tacit::testing

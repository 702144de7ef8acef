#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tacit/random/testing/deterministic_stream.h"

namespace tacit::testing {

// Chosen words first, then seeded ones; counts what was drawn. With it a test can put a sampler
// exactly on the border of a decision.
class ScriptedStream {
 public:
  static constexpr unsigned kWordBits = 64;

  ScriptedStream(std::vector<std::uint64_t> script, std::uint64_t seed)
      : script_(std::move(script)), rest_(seed) {}

  std::uint64_t next() {
    const std::size_t index = drawn_++;
    return index < script_.size() ? script_[index] : rest_.next();
  }

  void fill(std::span<std::uint64_t> words) {
    for (std::uint64_t& word : words) word = next();
  }

  [[nodiscard]] std::size_t drawn() const { return drawn_; }

 private:
  std::vector<std::uint64_t> script_;
  DeterministicStream rest_;
  std::size_t drawn_ = 0;
};

}  // namespace tacit::testing

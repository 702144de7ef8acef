#pragma once

#include <concepts>
#include <cstdint>
#include <span>

namespace tacit {

// Where samplers get their words: each is uniform below 2^kWordBits. Samplers are written against
// this concept so that tests can drive the very code that a release runs: with a seeded stream,
// with chosen words, and with short words, whose decision trees can be walked to the end.
template <class Source>
concept WordSource = requires(Source& source, std::span<std::uint64_t> words) {
  requires Source::kWordBits >= 1 && Source::kWordBits <= 64;
  { source.next() } -> std::same_as<std::uint64_t>;
  source.fill(words);
};

// Every decision of a sampler is a mathematical function of its words. The fast path computes it
// with machine words wherever their error bounds suffice; tests force exact arithmetic throughout
// and find the same values from the same words.
enum class Path { kFastThenExact, kExactOnly };

}  // namespace tacit

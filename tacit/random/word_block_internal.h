#pragma once

#include <openssl/crypto.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "tacit/random/word_source_internal.h"

namespace tacit {

// Draws words from a source in blocks, for samplers that need many: one lock and one call of the
// cipher a block. Belongs to one thread. Words that are left over are wiped, never used.
template <WordSource Source>
class WordBlock {
 public:
  static constexpr unsigned kWordBits = Source::kWordBits;

  // `expected`: about how many words will be drawn, so that few are drawn in vain.
  WordBlock(Source& source, std::size_t expected) : source_(source), expected_(expected) {}
  WordBlock(const WordBlock&) = delete;
  WordBlock& operator=(const WordBlock&) = delete;
  ~WordBlock() { OPENSSL_cleanse(words_.data(), filled_ * sizeof(std::uint64_t)); }

  std::uint64_t next() {
    if (next_ == filled_) [[unlikely]] {
      refill();
    }
    return words_[next_++];
  }

  // The words that next() will give before it draws from the source again; and passing over them.
  [[nodiscard]] std::span<const std::uint64_t> ahead() const {
    return std::span(words_).first(filled_).subspan(next_);
  }
  void skip(std::size_t count) { next_ += count; }

  void fill(std::span<std::uint64_t> words) {
    for (std::uint64_t& word : words) word = next();
  }

 private:
  static constexpr std::size_t kWords = 1024;
  static constexpr std::size_t kFewest = 32;

  void refill() {
    const std::size_t count = std::clamp(expected_, kFewest, kWords);
    expected_ -= std::min(expected_, count);
    source_.fill(std::span(words_).first(count));
    next_ = 0;
    filled_ = count;
  }

  Source& source_;
  std::size_t expected_;
  std::size_t next_ = 0;
  std::size_t filled_ = 0;
  std::array<std::uint64_t, kWords> words_;
};

}  // namespace tacit

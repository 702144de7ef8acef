#pragma once

#include <openssl/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "tacit/base/error.h"

namespace tacit {

// Fills the span with entropy, or says that it could not. Must not throw.
using EntropySource = bool (*)(std::span<std::byte>);

// getrandom(2), which blocks until the system's generator is seeded and never gives less.
bool system_entropy(std::span<std::byte> bytes);

// What stands behind SecureStream, with its entropy source left open so that a test can make it
// fail. No release accepts this type.
//
// Everything that must not survive a fork (buffered words, and the mark that the cipher's key
// belongs to this process) lies in memory that the kernel hands to a child zeroed
// (MADV_WIPEONFORK). A child therefore finds no buffered word and no key mark, and draws a new key,
// even when it was made by a bare system call that runs no fork handlers. The lock lies there too,
// so a child never inherits it locked.
class KeyedStream {
 public:
  static constexpr unsigned kWordBits = 64;
  // 1 MiB under one key: renewing costs nothing beside it, and a key learnt from memory tells
  // nothing of what was drawn before it.
  static constexpr std::uint64_t kWordsPerKey = std::uint64_t{1} << 17;

  static Result<std::unique_ptr<KeyedStream>> create(EntropySource entropy);

  KeyedStream(const KeyedStream&) = delete;
  KeyedStream& operator=(const KeyedStream&) = delete;
  ~KeyedStream();

  std::uint64_t next();
  void fill(std::span<std::uint64_t> words);

  // The words generated and not yet given out.
  [[nodiscard]] std::span<const std::uint64_t> buffered() const;

 private:
  struct ForkWiped;
  class Lock;

  explicit KeyedStream(EntropySource entropy) : entropy_(entropy) {}

  Result<void> prepare();
  [[nodiscard]] bool renew_key();
  void generate(std::span<std::uint64_t> words);
  void take_buffered(std::span<std::uint64_t> words);

  EntropySource entropy_;
  EVP_CIPHER_CTX* cipher_ = nullptr;
  ForkWiped* wiped_ = nullptr;
};

}  // namespace tacit

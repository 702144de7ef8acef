#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "tacit/base/error.h"

namespace tacit {

class KeyedStream;

// A stream of uniform 64-bit words from AES-256-CTR, keyed by the system (getrandom). The only
// source of randomness a release accepts.
//
// May be shared: calls from several threads are serialized and no word is given out twice. After a
// fork parent and child draw different words, however the process was forked. Keys and unused words
// are wiped on destruction, a word given out is wiped from the buffer at once, and the key is
// renewed from the system every mebibyte.
//
// Failure to get entropy is an error of create(); there is no fallback. Should a later renewal
// fail, the process is aborted with a message: a word that is not random is worse than no answer.
class SecureStream {
 public:
  static constexpr unsigned kWordBits = 64;

  static Result<SecureStream> create();

  SecureStream(SecureStream&&) noexcept;
  SecureStream& operator=(SecureStream&&) noexcept;
  SecureStream(const SecureStream&) = delete;
  SecureStream& operator=(const SecureStream&) = delete;
  ~SecureStream();

  // One uniform word; a span of them. A moved-from stream may only be destroyed or assigned to.
  std::uint64_t next();
  void fill(std::span<std::uint64_t> words);

 private:
  explicit SecureStream(std::unique_ptr<KeyedStream> stream);

  std::unique_ptr<KeyedStream> stream_;
};

}  // namespace tacit

#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "tacit/base/error.h"

namespace tacit {

// A stream of uniform 64-bit words from AES-256-CTR, keyed by the system (getrandom). The only
// source of randomness a release accepts.
//
// May be shared: calls from several threads are serialized and no word is given out twice. After a
// fork parent and child draw different words. Keys and unused words are wiped on destruction.
// Failure to get entropy is an error; there is no fallback.
class SecureStream {
 public:
  static Result<SecureStream> create();

  SecureStream(SecureStream&&) noexcept;
  SecureStream& operator=(SecureStream&&) noexcept;
  SecureStream(const SecureStream&) = delete;
  SecureStream& operator=(const SecureStream&) = delete;
  ~SecureStream();

  std::uint64_t next();
  void fill(std::span<std::uint64_t> words);

 private:
  struct State;
  explicit SecureStream(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace tacit

#include "tacit/random/secure_stream.h"

#include <utility>

#include "tacit/random/keyed_stream_internal.h"

namespace tacit {

Result<SecureStream> SecureStream::create() {
  TACIT_ASSIGN_OR_RETURN(auto stream, KeyedStream::create(system_entropy));
  return SecureStream(std::move(stream));
}

SecureStream::SecureStream(std::unique_ptr<KeyedStream> stream) : stream_(std::move(stream)) {}
SecureStream::SecureStream(SecureStream&&) noexcept = default;
SecureStream& SecureStream::operator=(SecureStream&&) noexcept = default;
SecureStream::~SecureStream() = default;

std::uint64_t SecureStream::next() { return stream_->next(); }
void SecureStream::fill(std::span<std::uint64_t> words) { stream_->fill(words); }

}  // namespace tacit

// A seeded stream does not become a secure one.

#include <utility>

#include "tacit/random/secure_stream.h"
#include "tacit/random/testing/deterministic_stream.h"

tacit::SecureStream make() {
#ifdef TACIT_MUST_FAIL
  return tacit::SecureStream(tacit::testing::DeterministicStream(1));
#else
  return tacit::SecureStream(tacit::SecureStream::create().value());
#endif
}

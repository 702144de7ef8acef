// Noise is drawn from the system's randomness only: a sampler does not take a seeded stream.

#include "tacit/random/samplers.h"
#include "tacit/random/testing/deterministic_stream.h"

std::int64_t draw(const tacit::DiscreteLaplace& noise) {
#ifdef TACIT_MUST_FAIL
  tacit::testing::DeterministicStream stream(1);
#else
  tacit::SecureStream stream = tacit::SecureStream::create().value();
#endif
  return noise.sample(stream);
}

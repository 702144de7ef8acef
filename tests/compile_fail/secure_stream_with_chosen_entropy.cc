// The stream whose entropy source a test may choose is not one that noise is drawn from.

#include "tacit/random/keyed_stream_internal.h"
#include "tacit/random/samplers.h"

bool toss(const tacit::Rational& probability) {
#ifdef TACIT_MUST_FAIL
  const auto stream = tacit::KeyedStream::create(tacit::system_entropy).value();
#else
  auto created = tacit::SecureStream::create();
  auto* const stream = &created.value();
#endif
  return tacit::sample_bernoulli(*stream, probability);
}

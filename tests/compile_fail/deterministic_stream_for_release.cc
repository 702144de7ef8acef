// A release takes the system's stream only.

#include "tacit/mechanisms/statistics/count.h"
#include "tacit/random/testing/deterministic_stream.h"

auto release(const tacit::Count& count, tacit::Permit permit) {
#ifdef TACIT_MUST_FAIL
  tacit::testing::DeterministicStream stream(1);
#else
  tacit::SecureStream stream = tacit::SecureStream::create().value();
#endif
  return count.release(10, std::move(permit), stream);
}

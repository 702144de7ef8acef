// Nothing leaves without a permit that is given up for it.

#include <utility>

#include "tacit/mechanisms/statistics/count.h"

auto release(const tacit::Count& count, tacit::Permit& permit, tacit::SecureStream& stream) {
#ifdef TACIT_MUST_FAIL
  return count.release(10, permit, stream);
#else
  return count.release(10, std::move(permit), stream);
#endif
}

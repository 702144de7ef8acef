#include "tacit/mechanisms/statistics/count.h"

#include <span>
#include <utility>

namespace tacit {

Result<Count> Count::create(const Contribution& contribution, const NoiseTarget& target) {
  TACIT_ASSIGN_OR_RETURN(const NoiseShare share, NoiseShare::create(target));
  return create(contribution, share);
}

Result<Count> Count::create(const Contribution& contribution, const NoiseShare& share) {
  TACIT_ASSIGN_OR_RETURN(const Sensitivity sensitivity, sum_sensitivity({1, 1}, contribution));
  TACIT_ASSIGN_OR_RETURN(WholeTotals totals, WholeTotals::create(sensitivity, share));
  return Count(std::move(totals));
}

Result<Released<std::int64_t>> Count::release(std::uint64_t rows, Permit&& permit,
                                              SecureStream& stream) const {
  TACIT_ASSIGN_OR_RETURN(const auto noisy, totals_.release(std::span<const std::uint64_t>(&rows, 1),
                                                           std::move(permit), stream));
  return Released<std::int64_t>{noisy.value.front(), noisy.interval};
}

}  // namespace tacit

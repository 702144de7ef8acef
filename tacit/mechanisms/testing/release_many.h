#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tacit/mechanisms/sensitivity.h"
#include "tacit/mechanisms/testing/verdict.h"
#include "tacit/privacy/testing/permit_for_tests.h"
#include "tacit/random/secure_stream.h"

namespace tacit::testing {

// How often a noise stage is repeated to be tested.
inline constexpr std::uint64_t kRepetitions = 1'000'000;

// A sensitivity that makes one release of a vector stand for many releases of a number: the
// coordinates get independent noise of the same law.
inline Sensitivity repeated(std::uint64_t l1, std::uint64_t times = kRepetitions) {
  return {.l1 = l1, .squared_l2 = l1 * l1, .coordinates = times, .one_coordinate = true};
}

// The same integer released once for each coordinate of the mechanism.
template <class Mechanism>
std::vector<std::int64_t> release_many(const Mechanism& mechanism, std::int64_t value,
                                       SecureStream& stream, std::uint64_t times = kRepetitions) {
  const std::vector<std::int64_t> values(times, value);
  auto released = mechanism.release(std::span<const std::int64_t>(values),
                                    PermitForTests::mint(mechanism.cost()), stream);
  EXPECT_TRUE(released) << released.error().message();
  return std::move(released->value);
}

inline CellCounts count_values(const IntegerCells& cells, std::span<const std::int64_t> values) {
  CellCounts counts(cells.size(), 0);
  for (const std::int64_t value : values) ++counts[cells(value)];
  return counts;
}

}  // namespace tacit::testing

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "tacit/mechanisms/quantile/radix_sort_internal.h"

namespace tacit {
namespace {

using Values = std::vector<std::int64_t>;

// As many values as asked, of so many low bits, of both signs.
Values scattered(std::size_t count, unsigned bits) {
  Values values(count);
  std::uint64_t word = 1;
  for (std::int64_t& value : values) {
    word = word * 6364136223846793005U + 1442695040888963407U;
    value = static_cast<std::int64_t>(word) >> (64 - bits);
  }
  return values;
}

TEST(RadixSort, SortsAsComparingDoes) {
  for (const std::size_t count : {0U, 1U, 1000U, 100'000U}) {
    for (const unsigned bits : {1U, 15U, 17U, 33U, 64U}) {
      Values values = scattered(count, bits);
      Values expected = values;
      std::ranges::sort(expected);
      radix_sort(values);
      EXPECT_EQ(values, expected) << count << " values of " << bits << " bits";
    }
  }
}

TEST(RadixSort, HoldsTheWholeRange) {
  Values values(50'000, 0);
  values[7] = std::numeric_limits<std::int64_t>::max();
  values[8] = std::numeric_limits<std::int64_t>::min();
  values[9] = -1;
  radix_sort(values);
  EXPECT_EQ(values[0], std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(values[1], -1);
  EXPECT_EQ(values.back(), std::numeric_limits<std::int64_t>::max());
}

}  // namespace
}  // namespace tacit

#include <algorithm>
#include <cstddef>
#include <utility>

#include "tacit/mechanisms/quantile/radix_sort_internal.h"

namespace tacit {
namespace {

constexpr unsigned kDigitBits = 16;
constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;
// Below this, clearing the counts of the digits takes longer than comparing.
constexpr std::size_t kFewValues = kDigits / 4;

// The order of int64 is that of uint64 with the sign bit turned.
std::size_t digit(std::int64_t value, unsigned shift) {
  const std::uint64_t ordered = static_cast<std::uint64_t>(value) ^ (std::uint64_t{1} << 63U);
  return static_cast<std::size_t>(ordered >> shift) % kDigits;
}

}  // namespace

void radix_sort(std::vector<std::int64_t>& values) {
  if (values.size() < kFewValues) {
    std::ranges::sort(values);
    return;
  }
  std::vector<std::int64_t> sorted(values.size());
  std::vector<std::size_t> begins(kDigits);
  for (unsigned shift = 0; shift < 64; shift += kDigitBits) {
    std::ranges::fill(begins, 0);
    for (const std::int64_t value : values) ++begins[digit(value, shift)];
    if (begins[digit(values.front(), shift)] == values.size()) continue;
    std::size_t begin = 0;
    for (std::size_t& count : begins) begin += std::exchange(count, begin);
    for (const std::int64_t value : values) sorted[begins[digit(value, shift)]++] = value;
    values.swap(sorted);
  }
}

}  // namespace tacit

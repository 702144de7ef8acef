#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "tacit/anonymize/records.h"

namespace tacit::anonymize {

// The share of each value of a sensitive column in the original table.
inline std::vector<double> reference(const Records& records, std::size_t column) {
  std::vector<double> out;
  for (const std::uint64_t count : records.sensitive[column].totals()) {
    out.push_back(static_cast<double>(count) / static_cast<double>(records.rows));
  }
  return out;
}

// The share of a value in a class.
inline double share(std::uint64_t count, std::uint64_t rows) {
  return static_cast<double>(count) / static_cast<double>(rows);
}

// Shares that are equal on paper may differ by the rounding of doubles; a class is not refused for
// that.
constexpr double kShareRounding = 1e-12;

}  // namespace tacit::anonymize

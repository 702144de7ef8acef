#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "tacit/anonymize/records.h"

namespace tacit::anonymize::testing {

// A table with so many rows of each value of one sensitive column, all alike in one
// quasi-identifier.
inline Records sensitive_rows(const std::vector<std::uint64_t>& rows_of_values) {
  RecordsBuilder builder(1, 1);
  for (std::uint32_t value = 0; value < rows_of_values.size(); ++value) {
    builder.add(std::array{0U}, std::array{value}, rows_of_values[value]);
  }
  return std::move(builder).build();
}

}  // namespace tacit::anonymize::testing

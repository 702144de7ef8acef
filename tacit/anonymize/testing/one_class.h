#pragma once

#include <cstdint>
#include <initializer_list>
#include <numeric>
#include <vector>

#include "tacit/anonymize/classes.h"

namespace tacit::anonymize::testing {

// A class with so many rows of each value of one sensitive column, to try a criterion on.
class OneClass {
 public:
  explicit OneClass(const std::vector<std::uint64_t>& rows_of_values) {
    for (std::uint32_t value = 0; value < rows_of_values.size(); ++value) {
      if (rows_of_values[value] == 0) continue;
      values_.push_back(value);
      counts_.push_back(rows_of_values[value]);
    }
    histogram_ = {.values = values_, .counts = counts_};
  }
  OneClass(const OneClass&) = delete;
  OneClass& operator=(const OneClass&) = delete;
  ~OneClass() = default;

  [[nodiscard]] ClassView view() const {
    return {.rows = std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0}),
            .population = 0,
            .histograms = {&histogram_, 1}};
  }

 private:
  std::vector<std::uint32_t> values_;
  std::vector<std::uint64_t> counts_;
  Histogram histogram_;
};

}  // namespace tacit::anonymize::testing

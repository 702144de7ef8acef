#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tacit/base/error.h"

namespace tacit::attacks {

// Released statistics, each the sum of a secret value over some people, exact or noisy.
struct SubsetSums {
  std::size_t people = 0;
  std::vector<std::vector<std::uint32_t>> members;  // of each sum, each person at most once
  std::vector<double> sums;
};

Result<void> check(const SubsetSums& released);

}  // namespace tacit::attacks

#include "tacit/attacks/linear_programming.h"

#include <algorithm>
#include <utility>

#include "tacit/attacks/linear_program_internal.h"

namespace tacit::attacks {
namespace {

LinearProgram::Variable weight(const std::vector<std::uint32_t>& members, double sign, double sum) {
  LinearProgram::Variable out{.cost = -sign * sum};
  for (const std::uint32_t person : members) {
    out.entries.push_back({.row = static_cast<int>(person), .value = sign});
  }
  return out;
}

// The dual program has a row for each person and a variable for each sum, and is by far the smaller
// of the two: the values of people are the prices of its rows. For the sum of deviations
//
//   min |s - A x|_1, 0 <= x <= 1   =   max s'y - 1'w, A'y - w <= 0, -1 <= y <= 1, w >= 0,
//
// and for the greatest one the same with |y|_1 <= 1, y as the difference of two parts.
LinearProgram dual_program(const SubsetSums& released, Deviation deviation) {
  LinearProgram out{.row_upper = std::vector<double>(released.people, 0)};
  for (std::size_t i = 0; i < released.sums.size(); ++i) {
    const auto& members = released.members[i];
    if (deviation == Deviation::kSum) {
      auto& y = out.variables.emplace_back(weight(members, 1, released.sums[i]));
      y.lower = -1;
      y.upper = 1;
      continue;
    }
    for (const double sign : {1.0, -1.0}) {
      auto& y = out.variables.emplace_back(weight(members, sign, released.sums[i]));
      y.upper = LinearProgram::kUnbounded;
      y.entries.push_back({.row = static_cast<int>(released.people), .value = 1});
    }
  }
  for (std::size_t person = 0; person < released.people; ++person) {
    out.variables.push_back({.cost = 1,
                             .upper = LinearProgram::kUnbounded,
                             .entries = {{.row = static_cast<int>(person), .value = -1}}});
  }
  if (deviation == Deviation::kGreatest) out.row_upper.push_back(1);
  return out;
}

}  // namespace

Result<std::vector<double>> linear_programming(const SubsetSums& released, Deviation deviation) {
  TACIT_RETURN_IF_ERROR(check(released));
  TACIT_ASSIGN_OR_RETURN(std::vector<double> values,
                         dual_program(released, deviation).solve_dual());
  values.resize(released.people);
  for (double& value : values) value = std::clamp(value, 0.0, 1.0);
  return values;
}

}  // namespace tacit::attacks

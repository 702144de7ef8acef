#pragma once

#include <limits>
#include <vector>

#include "tacit/base/error.h"

namespace tacit::attacks {

// Minimizes a linear cost of bounded variables; rows bound combinations of them from above.
struct LinearProgram {
  static constexpr double kUnbounded = std::numeric_limits<double>::max();  // as Clp writes it

  struct Entry {
    int row;
    double value;
  };
  struct Variable {
    double cost = 0;
    double lower = 0;
    double upper = 0;
    std::vector<Entry> entries;
  };
  std::vector<Variable> variables;
  std::vector<double> row_upper;

  // How fast the least cost falls as each row's bound grows: the solution of the dual program. Clp
  // (COIN-OR, EPL-2.0) is loaded at run time: with it come LAPACK and a Fortran library, which the
  // command does not want at every start.
  [[nodiscard]] Result<std::vector<double>> solve_dual() const;
};

}  // namespace tacit::attacks

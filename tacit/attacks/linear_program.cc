#include "tacit/attacks/linear_program_internal.h"

#include <coin/Clp_C_Interface.h>
#include <dlfcn.h>

#include <memory>
#include <utility>

namespace tacit::attacks {
namespace {

// The functions of the library that are used here.
class Clp {
 public:
  static Result<Clp> load() {
    constexpr const char* kName = "libClp.so.1";
    Handle handle(::dlopen(kName, RTLD_NOW | RTLD_LOCAL), ::dlclose);
    Clp out(std::move(handle));
    if (out.handle_ == nullptr || !out.find_all()) {
      return world_failed("the solver of linear programs cannot be loaded", kName,
                          "install Debian's package coinor-libclp1");
    }
    return out;
  }

  decltype(&::Clp_newModel) new_model = nullptr;
  decltype(&::Clp_deleteModel) delete_model = nullptr;
  decltype(&::Clp_setLogLevel) set_log_level = nullptr;
  decltype(&::Clp_loadProblem) load_problem = nullptr;
  decltype(&::Clp_initialSolve) solve = nullptr;
  decltype(&::Clp_status) status = nullptr;
  decltype(&::Clp_dualRowSolution) row_prices = nullptr;

 private:
  using Handle = std::unique_ptr<void, int (*)(void*)>;

  explicit Clp(Handle handle) : handle_(std::move(handle)) {}

  template <class Function>
  bool find(Function& function, const char* name) {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): dlsym has no other type.
    function = reinterpret_cast<Function>(::dlsym(handle_.get(), name));
    return function != nullptr;
  }

  bool find_all() {
    return find(new_model, "Clp_newModel") && find(delete_model, "Clp_deleteModel") &&
           find(set_log_level, "Clp_setLogLevel") && find(load_problem, "Clp_loadProblem") &&
           find(solve, "Clp_initialSolve") && find(status, "Clp_status") &&
           find(row_prices, "Clp_dualRowSolution");
  }

  Handle handle_;
};

// Column by column, as the library takes it.
struct Matrix {
  std::vector<CoinBigIndex> starts;
  std::vector<int> rows;
  std::vector<double> values;
  std::vector<double> lower;
  std::vector<double> upper;
  std::vector<double> costs;

  explicit Matrix(const std::vector<LinearProgram::Variable>& variables) {
    for (const LinearProgram::Variable& variable : variables) {
      starts.push_back(static_cast<CoinBigIndex>(rows.size()));
      for (const auto& [row, value] : variable.entries) {
        rows.push_back(row);
        values.push_back(value);
      }
      lower.push_back(variable.lower);
      upper.push_back(variable.upper);
      costs.push_back(variable.cost);
    }
    starts.push_back(static_cast<CoinBigIndex>(rows.size()));
  }
};

}  // namespace

Result<std::vector<double>> LinearProgram::solve_dual() const {
  TACIT_ASSIGN_OR_RETURN(const Clp clp, Clp::load());
  const Matrix matrix(variables);
  const std::unique_ptr<Clp_Simplex, decltype(clp.delete_model)> model(clp.new_model(),
                                                                       clp.delete_model);
  clp.set_log_level(model.get(), 0);
  const std::vector<double> row_lower(row_upper.size(), -kUnbounded);
  clp.load_problem(model.get(), static_cast<int>(variables.size()),
                   static_cast<int>(row_upper.size()), matrix.starts.data(), matrix.rows.data(),
                   matrix.values.data(), matrix.lower.data(), matrix.upper.data(),
                   matrix.costs.data(), row_lower.data(), row_upper.data());
  clp.solve(model.get());
  if (clp.status(model.get()) != 0) {
    return world_failed("the linear program was not solved", "libClp.so.1",
                        "try fewer sums, or least squares");
  }
  const double* const prices = clp.row_prices(model.get());
  std::vector<double> out;
  for (std::size_t row = 0; row < row_upper.size(); ++row) out.push_back(-prices[row]);
  return out;
}

}  // namespace tacit::attacks

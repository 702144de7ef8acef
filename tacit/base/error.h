#pragma once

#include <expected>
#include <string>
#include <utility>

namespace tacit {

// Who can mend it. The value is the exit status of the command.
enum class ErrorKind {
  kBudget = 1,    // the privacy budget does not allow it; nothing was charged
  kBadInput = 2,  // the caller asked for something that has no meaning; nothing was done
  kWorld = 3,     // a disk, an engine, a network or the system's entropy failed
};

// What went wrong, where, and what the reader can do about it. `where` and `remedy` may be empty.
struct Error {
  ErrorKind kind = ErrorKind::kBadInput;
  std::string what;
  std::string where;
  std::string remedy;

  // "WHERE: WHAT\n  REMEDY", leaving out what is empty.
  [[nodiscard]] std::string message() const;
  [[nodiscard]] int exit_status() const { return static_cast<int>(kind); }
};

template <class T>
using Result = std::expected<T, Error>;

// `return bad_input("noise must be above 0", "--noise", "give a number such as 1.5");`
[[nodiscard]] std::unexpected<Error> bad_input(std::string what, std::string where = {},
                                               std::string remedy = {});
[[nodiscard]] std::unexpected<Error> over_budget(std::string what, std::string where = {},
                                                 std::string remedy = {});
[[nodiscard]] std::unexpected<Error> world_failed(std::string what, std::string where = {},
                                                  std::string remedy = {});

}  // namespace tacit

// TACIT_RETURN_IF_ERROR(expr): returns the error of a Result from the enclosing function.
#define TACIT_RETURN_IF_ERROR(expression)                      \
  do {                                                         \
    if (auto tacit_status = (expression); !tacit_status) {     \
      return std::unexpected(std::move(tacit_status).error()); \
    }                                                          \
  } while (false)

// TACIT_ASSIGN_OR_RETURN(auto x, expr): x is the value of expr, or its error is returned.
#define TACIT_ASSIGN_OR_RETURN(declaration, expression) \
  TACIT_ASSIGN_OR_RETURN_NAMED(TACIT_CONCATENATE(tacit_result_, __LINE__), declaration, expression)
#define TACIT_ASSIGN_OR_RETURN_NAMED(result, declaration, expression) \
  auto result = (expression);                                         \
  if (!result) return std::unexpected(std::move(result).error());     \
  declaration = *std::move(result)
#define TACIT_CONCATENATE(left, right) TACIT_CONCATENATE_EXPANDED(left, right)
#define TACIT_CONCATENATE_EXPANDED(left, right) left##right

#include "tacit/base/error.h"

namespace tacit {
namespace {

std::unexpected<Error> make(ErrorKind kind, std::string what, std::string where,
                            std::string remedy) {
  return std::unexpected(Error{.kind = kind,
                               .what = std::move(what),
                               .where = std::move(where),
                               .remedy = std::move(remedy)});
}

}  // namespace

std::string Error::message() const {
  std::string text = where.empty() ? what : where + ": " + what;
  if (!remedy.empty()) text += "\n  " + remedy;
  return text;
}

std::unexpected<Error> bad_input(std::string what, std::string where, std::string remedy) {
  return make(ErrorKind::kBadInput, std::move(what), std::move(where), std::move(remedy));
}

std::unexpected<Error> over_budget(std::string what, std::string where, std::string remedy) {
  return make(ErrorKind::kBudget, std::move(what), std::move(where), std::move(remedy));
}

std::unexpected<Error> world_failed(std::string what, std::string where, std::string remedy) {
  return make(ErrorKind::kWorld, std::move(what), std::move(where), std::move(remedy));
}

}  // namespace tacit

#include "tacit/sql/after_charge.h"

#include <fmt/format.h>

#include <utility>

namespace tacit::sql {

std::unexpected<Error> after_charge(Error error, const std::string& entry) {
  const std::string sequence = entry.substr(0, entry.find(':'));
  error.kind = ErrorKind::kWorld;
  error.remedy += fmt::format("{}what was charged stays charged (entry {})",
                              error.remedy.empty() ? "" : "; ", sequence);
  return std::unexpected(std::move(error));
}

}  // namespace tacit::sql

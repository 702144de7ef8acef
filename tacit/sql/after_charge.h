#pragma once

#include <string>

#include "tacit/base/error.h"

namespace tacit::sql {

// An error of what comes after the charge of `entry`. It says that the charge stays, and is none of
// bad input, which would promise that nothing was done.
std::unexpected<Error> after_charge(Error error, const std::string& entry);

}  // namespace tacit::sql

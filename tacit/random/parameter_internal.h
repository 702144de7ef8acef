#pragma once

#include <cstdint>
#include <string>

#include "tacit/base/rational.h"

namespace tacit {

// Refuses a scale (a standard deviation, for `power` 2 given as its square) outside 2^-30 ... 2^40,
// and numbers of absurd length.
Result<void> check_scale(const Rational& value, std::int64_t power, const std::string& where);

}  // namespace tacit

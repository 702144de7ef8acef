#pragma once

#include "tacit/privacy/pure.h"

namespace tacit {

Rational integer(std::uint64_t value);

// pure_epsilon of a node that is a leaf or a sample.
Result<Rational> pure_epsilon_of(const cost::Node& node);

}  // namespace tacit

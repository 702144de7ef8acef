#pragma once

#include <string_view>
#include <utility>

#include "tacit/privacy/cost.h"

// Costs and numbers that a test knows to be valid.
namespace tacit::testing_costs {

inline Rational number(std::string_view text) { return Rational::parse(text).value(); }

inline Cost leaf(cost::Node node, Neighbours neighbours = Neighbours::kAddRemove) {
  return Cost::leaf(std::move(node), neighbours).value();
}

}  // namespace tacit::testing_costs

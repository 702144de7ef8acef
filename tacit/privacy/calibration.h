#pragma once

#include <cstdint>
#include <functional>

#include "tacit/base/rational.h"
#include "tacit/privacy/accountant.h"
#include "tacit/privacy/cost.h"

namespace tacit {

// The guarantee that is wanted.
struct Target {
  double epsilon = 1;
  double delta = 0;
};

// A noise, and what the accountant proves at the target's delta with exactly this noise.
struct Calibrated {
  Rational noise;
  Proved proved;
};

// The cost of a mechanism as a function of its noise; more noise must not cost more.
using CostOfNoise = std::function<Result<Cost>(const Rational& noise)>;

// The least noise whose proved epsilon does not exceed the target: a decimal of at most seven
// digits, at most 2e-6 (relative) above the true least, and checked itself, so the printed number
// meets the target. Refuses a target that no noise between 1e-12 and 1e12 meets, and passes on the
// accountant's refusal of the mechanism.
Result<Calibrated> calibrate(const Target& target, Accountant accountant,
                             const CostOfNoise& cost_of_noise);

}  // namespace tacit

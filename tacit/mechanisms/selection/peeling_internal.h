#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tacit/mechanisms/selection/weighted_choice_internal.h"
#include "tacit/random/secure_stream.h"

namespace tacit {

// Chooses `count` candidates one after the other, each from those that are left, with probability
// proportional to exp(rate · score). 1 <= count <= scores.size().
std::vector<std::size_t> peel(const WeightedChoice& choice, std::span<const std::int64_t> scores,
                              std::size_t count, SecureStream& stream);

}  // namespace tacit

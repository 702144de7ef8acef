#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tacit/anonymize/criteria/criterion.h"

namespace tacit::anonymize {

// (c,k)-safety (Martin, Kifer, Machanavajjhala, Gehrke and Halpern, 2007): whoever knows who is in
// which class, and any k basic implications between sensitive values of people, does not become
// sure of anyone's value with probability c or more. Classes that break it alone are suppressed;
// those that stay must satisfy it together.
void add_ck_safety(Criteria& criteria, std::size_t column, double c, std::uint64_t k);

// The most that an attacker with k basic implications can believe of anyone's value, over classes
// with these counts of values.
double worst_disclosure(std::span<const std::vector<std::uint64_t>> classes, std::uint64_t k);

}  // namespace tacit::anonymize

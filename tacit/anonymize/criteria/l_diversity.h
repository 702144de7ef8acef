#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "tacit/anonymize/criteria/criterion.h"

namespace tacit::anonymize {

// The diversity of a sensitive column in each class (Machanavajjhala and others, 2007). `column`
// counts the sensitive columns of the records.

// At least l different values.
std::unique_ptr<Criterion> distinct_diversity(std::size_t column, std::uint64_t l);
// The entropy of the values is at least log(l).
std::unique_ptr<Criterion> entropy_diversity(std::size_t column, double l);
// The most frequent value is less frequent than c times all but the l - 1 most frequent together.
std::unique_ptr<Criterion> recursive_diversity(std::size_t column, double c, std::uint64_t l);

}  // namespace tacit::anonymize

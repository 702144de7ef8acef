#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "tacit/anonymize/criteria/criterion.h"

namespace tacit::anonymize {

// The part of (alpha,k)-anonymity that is not k-anonymity (Wong and others, 2006): the share of a
// sensitive value, or of each where none is named, is at most alpha in each class. Ask for
// k_anonymity(k) beside it.
std::unique_ptr<Criterion> alpha_deassociation(const Records& records, std::size_t column,
                                               double alpha,
                                               std::optional<std::uint32_t> value = {});

}  // namespace tacit::anonymize

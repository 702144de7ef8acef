#pragma once

#include <cstdint>
#include <memory>

#include "tacit/anonymize/criteria/criterion.h"

namespace tacit::anonymize {

// Every row looks like at least k - 1 others (Samarati and Sweeney, 1998).
std::unique_ptr<Criterion> k_anonymity(std::uint64_t k);

}  // namespace tacit::anonymize

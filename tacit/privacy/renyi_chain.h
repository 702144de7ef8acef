#pragma once

#include <cstdint>
#include <functional>

namespace tacit::renyi {

using Divergence = std::function<double(double order)>;

// The divergence between datasets `steps` neighbours apart, where `one` bounds it between
// neighbours, in both directions. For two steps the weak triangle inequality (Mironov 2017)
// at several exponents, for more his theorem on groups, with the number of steps rounded up to a
// power of two. Rounded up.
Divergence of_chain(Divergence one, std::uint64_t steps);

}  // namespace tacit::renyi

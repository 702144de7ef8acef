#pragma once

#include <cstdint>
#include <functional>

namespace tacit::train {

// Calls work(from, to) for pieces that make up 0, ..., count - 1, on libtorch's threads: as many
// pieces as there are threads, but none shorter than `grain`. What a piece throws is thrown here.
// (at::parallel_for does the same only where its caller is compiled with OpenMP, as the source of
// this is.)
void in_parallel(std::int64_t count, std::int64_t grain,
                 const std::function<void(std::int64_t, std::int64_t)>& work);

}  // namespace tacit::train

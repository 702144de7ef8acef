#include "tacit/train/in_parallel_internal.h"

#include <ATen/Parallel.h>

namespace tacit::train {

void in_parallel(std::int64_t count, std::int64_t grain,
                 const std::function<void(std::int64_t, std::int64_t)>& work) {
  at::parallel_for(0, count, grain, work);
}

}  // namespace tacit::train

#pragma once

#include <utility>
#include <vector>

#include "tacit/train/clipped_sum.h"

namespace tacit::train {

// Makes and opens sums that only noise may see. Only tests and benchmarks may include this file.
class ClippedSumForTests {
 public:
  static ClippedSum of(const Clipping& clipping, std::vector<at::Tensor> gradients) {
    return {clipping, std::move(gradients)};
  }
  static const std::vector<at::Tensor>& gradients(const ClippedSum& sum) { return sum.gradients_; }
  static std::int64_t votes(const ClippedSum& sum) { return sum.votes_; }
};

}  // namespace tacit::train

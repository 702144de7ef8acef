#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "tacit/base/error.h"

namespace tacit::train {

// An exponential moving average of the weights, which often does better than the last ones (Polyak
// and Juditsky 1992; for private training De et al. 2022). A function of released weights: it costs
// nothing.
class WeightAverage {
 public:
  // Each update keeps `decay` of the average, or (1 + updates) / (10 + updates) where that is less,
  // so that the first weights are soon forgotten. Refuses a decay outside [0, 1).
  static Result<WeightAverage> create(const std::vector<at::Tensor>& parameters, double decay);

  // After each step of the optimizer.
  void update();
  // Puts the average into the parameters, and what was there into the average: twice is nothing.
  void swap();

  // For checkpoints.
  [[nodiscard]] const std::vector<at::Tensor>& averages() const { return averages_; }
  [[nodiscard]] std::uint64_t updates() const { return updates_; }
  // Goes on from such a checkpoint. Refuses other shapes.
  Result<void> restore(const std::vector<at::Tensor>& averages, std::uint64_t updates);

 private:
  WeightAverage(std::vector<at::Tensor> parameters, double decay);

  std::vector<at::Tensor> parameters_;
  std::vector<at::Tensor> averages_;
  double decay_;
  std::uint64_t updates_ = 0;
};

}  // namespace tacit::train

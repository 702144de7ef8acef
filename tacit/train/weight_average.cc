#include "tacit/train/weight_average.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <utility>

namespace tacit::train {

WeightAverage::WeightAverage(std::vector<at::Tensor> parameters, double decay)
    : parameters_(std::move(parameters)), decay_(decay) {
  const c10::NoGradGuard no_grad;
  for (const at::Tensor& parameter : parameters_) {
    averages_.push_back(parameter.detach().clone());
  }
}

Result<WeightAverage> WeightAverage::create(const std::vector<at::Tensor>& parameters,
                                            double decay) {
  if (!(decay >= 0 && decay < 1)) {
    return bad_input("the decay of an average of weights must lie in [0, 1)", "decay",
                     "give a number such as 0.999");
  }
  return WeightAverage(parameters, decay);
}

void WeightAverage::update() {
  const c10::NoGradGuard no_grad;
  const auto n = static_cast<double>(updates_++);
  const double kept = std::min(decay_, (1 + n) / (10 + n));
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    averages_[i].lerp_(parameters_[i].detach(), 1 - kept);
  }
}

void WeightAverage::swap() {
  const c10::NoGradGuard no_grad;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const at::Tensor last = parameters_[i].detach().clone();
    parameters_[i].detach().copy_(averages_[i]);
    averages_[i].copy_(last);
  }
}

Result<void> WeightAverage::restore(const std::vector<at::Tensor>& averages,
                                    std::uint64_t updates) {
  const bool fits =
      std::ranges::equal(averages, averages_, {}, &at::Tensor::sizes, &at::Tensor::sizes);
  if (!fits) return bad_input("the averages are of another model", "checkpoint");
  const c10::NoGradGuard no_grad;
  for (std::size_t i = 0; i < averages_.size(); ++i) averages_[i].copy_(averages[i]);
  updates_ = updates;
  return {};
}

}  // namespace tacit::train

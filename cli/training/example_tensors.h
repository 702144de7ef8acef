#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "cli/training/examples.h"
#include "tacit/base/progress.h"
#include "tacit/train/scattering.h"

namespace tacit::training {

// Examples as tensors: a view, which the examples must outlive. They stay in the memory of the
// processor; batches of them go to the device.
class ExampleTensors {
 public:
  ExampleTensors(const Examples& examples, at::Device device);

  // Puts scattering features in the place of pixels, computed for so many images at once.
  void keep_features(const train::Scattering& scattering, std::int64_t at_once,
                     const Progress& progress);

  [[nodiscard]] std::int64_t size() const { return labels_.size(0); }
  // Those at `places`, scaled; and their labels. Below 0 a place is nobody's, and
  // holds zeros.
  [[nodiscard]] at::Tensor inputs(const at::Tensor& places) const;
  [[nodiscard]] at::Tensor labels(const at::Tensor& places) const;

 private:
  at::Device device_;
  at::Tensor values_;
  at::Tensor labels_;
  at::Tensor scale_;  // not defined where values are numbers already
  at::Tensor shift_;
};

}  // namespace tacit::training

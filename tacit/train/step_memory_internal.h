#pragma once

namespace tacit::train {

// While one lives, large tensors of the processor are taken from a PagePool (all of the process:
// activations and gradients are made by the caller's model). Where another allocator than
// PyTorch's own is in use it is left alone.
class StepMemory {
 public:
  StepMemory();
  StepMemory(const StepMemory&) = delete;
  StepMemory& operator=(const StepMemory&) = delete;
  ~StepMemory();
};

}  // namespace tacit::train

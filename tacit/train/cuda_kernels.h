#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <string>

#include "tacit/base/error.h"

namespace tacit::train {

// Kernels compiled from text for one CUDA device. The driver and NVRTC are opened at run time, so
// that the library needs neither where there is no device.
class CudaKernels {
 public:
  static Result<CudaKernels> compile(const std::string& text, at::Device device);

  CudaKernels(CudaKernels&&) noexcept;
  CudaKernels& operator=(CudaKernels&&) noexcept;
  CudaKernels(const CudaKernels&) = delete;
  CudaKernels& operator=(const CudaKernels&) = delete;
  ~CudaKernels();

  // Runs a kernel on the device's current stream, over at least `threads` threads. `arguments` are
  // the addresses of its arguments.
  Result<void> launch(const char* kernel, std::uint64_t threads, void** arguments) const;

 private:
  struct State;
  explicit CudaKernels(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace tacit::train

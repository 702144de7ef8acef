#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <string>

#include "tacit/base/error.h"

namespace tacit::train {

// Where the numbers of a tensor lie, as kernels take it; 0 for none.
std::uint64_t device_address(const at::Tensor& tensor);

// The PTX of a text of kernels, for an architecture such as "compute_90". Needs NVRTC, and neither
// a device nor its driver.
Result<std::string> to_ptx(const std::string& text, const std::string& architecture);

// Kernels compiled from text for one CUDA device. The driver and NVRTC are opened at run time, so
// that the library needs neither where there is no device.
class CudaKernels {
 public:
  static Result<CudaKernels> compile(const std::string& text, at::Device device);
  // The same, once in a process for each text; null where there is no way to. The text lives as
  // long as the process.
  static const CudaKernels* shared(const char* text, at::Device device);

  CudaKernels(CudaKernels&&) noexcept;
  CudaKernels& operator=(CudaKernels&&) noexcept;
  CudaKernels(const CudaKernels&) = delete;
  CudaKernels& operator=(const CudaKernels&) = delete;
  ~CudaKernels();

  // Runs a kernel on the device's current stream, over at least `threads` threads. `arguments` are
  // the addresses of its arguments.
  Result<void> launch(const char* kernel, std::uint64_t threads, void** arguments) const;
  // The same over so many blocks of threads, as many as launch() has in one.
  Result<void> launch_blocks(const char* kernel, std::uint64_t blocks, void** arguments) const;

 private:
  struct State;
  explicit CudaKernels(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace tacit::train

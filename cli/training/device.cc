#include "cli/training/device.h"

#include <ATen/Context.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <dlfcn.h>

#include <string>

namespace tacit::training {

Result<c10::Device> training_device(DeviceKind kind) {
  if (kind == DeviceKind::kCpu) return c10::Device(c10::kCPU);
  const auto missing = [](const char* what, const char* remedy) {
    return bad_input(what, "[training] device",
                     std::string(remedy) + ", or write device = \"cpu\"");
  };
  // PyTorch's part for CUDA stands in a library of its own, which nothing else needs.
  const bool is_there = ::dlopen("libtorch_cuda.so", RTLD_NOW | RTLD_GLOBAL) != nullptr;
  if (!is_there || !at::detail::getCUDAHooks().hasCUDART()) {
    return missing("this tacit-train was built with a PyTorch without CUDA",
                   "build it with one that has CUDA (-DTACIT_TORCH=...)");
  }
  if (!at::globalContext().hasCUDA()) {
    return missing("there is no CUDA device, or no driver for it",
                   "see whether nvidia-smi shows one, and whether CUDA_VISIBLE_DEVICES hides it");
  }
  // Sums would not keep their bound in TF32.
  at::globalContext().setAllowTF32CuBLAS(false);
  at::globalContext().setAllowTF32CuDNN(false);
  return c10::Device(c10::kCUDA, 0);
}

}  // namespace tacit::training

#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <vector>

#include "tacit/base/error.h"
#include "tacit/base/rational.h"
#include "tacit/mechanisms/grid.h"
#include "tacit/random/secure_stream.h"

namespace tacit::train {

// Adds discrete Gaussian noise to sums that lie on a CUDA device, there: the law is that of
// tacit/random (gaussian_table.h), the words are those of ChaCha20 under a key that the stream
// gives anew for every release. The kernel is compiled by NVRTC, which PyTorch brings along.
class DeviceNoise {
 public:
  // Variance in steps of the grid. Compiles the kernel for the device.
  static Result<DeviceNoise> create(const Rational& variance, const Grid& grid, at::Device device);

  DeviceNoise(DeviceNoise&&) noexcept;
  DeviceNoise& operator=(DeviceNoise&&) noexcept;
  DeviceNoise(const DeviceNoise&) = delete;
  DeviceNoise& operator=(const DeviceNoise&) = delete;
  ~DeviceNoise();

  [[nodiscard]] at::Device device() const;
  // The sums, float or double, in whole steps with noise; of the types asked for (float or double).
  // Throws what libtorch throws.
  Result<std::vector<at::Tensor>> noisy(const std::vector<at::Tensor>& sums,
                                        const std::vector<at::ScalarType>& types,
                                        SecureStream& stream) const;

 private:
  struct State;
  explicit DeviceNoise(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace tacit::train

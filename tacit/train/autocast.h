#pragma once

#include <c10/core/DeviceType.h>
#include <c10/core/ScalarType.h>

namespace tacit::train {

// While it lives, operations of this thread run as under torch.autocast: products and convolutions
// in half precision, what needs more digits in single precision.
class Autocast {
 public:
  Autocast(c10::DeviceType device, c10::ScalarType type);
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;
  ~Autocast();

 private:
  c10::DeviceType device_;
  bool was_enabled_;
  c10::ScalarType type_before_;
};

}  // namespace tacit::train

#pragma once

#include <c10/core/Device.h>

#include "cli/training/config.h"
#include "tacit/base/error.h"

namespace tacit::training {

// The device to train on, made ready: sums there are in whole single precision. Refuses one that is
// not there, with what is missing.
Result<c10::Device> training_device(DeviceKind kind);

}  // namespace tacit::training

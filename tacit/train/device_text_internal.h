#pragma once

namespace tacit::train {

// The texts of the headers of these names with _kernel.h, for NVRTC; written by the build.
const char* device_noise_text();
const char* device_norms_text();
const char* device_recurrence_text();

}  // namespace tacit::train

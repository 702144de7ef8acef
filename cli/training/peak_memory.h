#pragma once

#include <cstdint>
#include <functional>

namespace tacit::training {

// The most bytes that tensors made by `work` took at once, on any device: those that were there
// before are not counted, nor is what a library of linear algebra takes for itself.
std::int64_t peak_bytes(const std::function<void()>& work);

}  // namespace tacit::training

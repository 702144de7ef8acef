#pragma once

#include <cstdint>

#include "cli/training/config.h"
#include "cli/training/picture.h"

namespace tacit::training {

// The picture at another size, by a triangle filter that is as wide as a pixel of the smaller of
// the two, so that nothing is left out where it shrinks. `fit` is not kExact.
Picture resized(const Picture& picture, std::int64_t height, std::int64_t width, Fit fit);

}  // namespace tacit::training

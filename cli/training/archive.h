#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <string>
#include <string_view>

#include "tacit/base/error.h"

namespace tacit::training {

// Tensors by their names, as the bytes of an archive that Python reads by
// torch.load(file, weights_only=True).
using NamedTensors = std::map<std::string, at::Tensor>;

std::string to_archive(const NamedTensors& tensors);
// Refuses what to_archive did not write; `place` is its name in the error.
Result<NamedTensors> from_archive(std::string_view bytes, const std::string& place);

}  // namespace tacit::training

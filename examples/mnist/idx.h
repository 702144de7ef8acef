#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>

#include "tacit/base/error.h"

// Reads a file of bytes in the IDX format, compressed by gzip or not: a tensor of its dimensions.
tacit::Result<at::Tensor> read_idx(const std::filesystem::path& file);

#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "tacit/base/error.h"

namespace tacit::training {

struct IdxBytes {
  std::vector<std::int64_t> sizes;  // of its dimensions
  std::vector<std::uint8_t> bytes;
};

// Reads a file of bytes in the IDX format, compressed by gzip or not. Refuses a file that is
// damaged, or longer than it says.
Result<IdxBytes> read_idx(const std::filesystem::path& file);

}  // namespace tacit::training

#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "tacit/base/error.h"

namespace tacit::training {

// A picture row by row, the channels of a pixel side by side.
struct Picture {
  std::int64_t height = 0;
  std::int64_t width = 0;
  std::int64_t channels = 0;
  std::vector<std::uint8_t> bytes;
};

// Decodes a file to one channel (gray) or three (red, green, blue). A file that is damaged, even
// where a viewer would still show something of it, is refused.
Result<Picture> read_jpeg(const std::filesystem::path& file, std::int64_t channels);
Result<Picture> read_png(const std::filesystem::path& file, std::int64_t channels);

}  // namespace tacit::training

#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "tacit/attacks/block_reconstruction.h"

namespace tacit::attacks {

// Published tables of a block, as written in a TOML file (docs/attacks.md shows one).
struct PublishedBlock {
  Block block;
  std::vector<PublishedRow> rows;

  // `file` names it in errors.
  static Result<PublishedBlock> parse(std::string_view text, const std::filesystem::path& file);
  static Result<PublishedBlock> read(const std::filesystem::path& file);
};

}  // namespace tacit::attacks

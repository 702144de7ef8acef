#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>

#include "tacit/base/error.h"

namespace tacit::anonymize {

// A file that is being written beside the one that it will be: removed, unless it was put in place.
class UnfinishedFile {
 public:
  explicit UnfinishedFile(const std::filesystem::path& output)
      : path_(fmt::format("{}.{}.tmp", output.string(), ::getpid())) {}
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;
  ~UnfinishedFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  [[nodiscard]] Result<void> put_in_place(const std::filesystem::path& output) const {
    std::error_code error;
    std::filesystem::rename(path_, output, error);
    if (!error) return {};
    return world_failed(fmt::format("cannot be written: {}", error.message()), output.string());
  }

 private:
  std::filesystem::path path_;
};

}  // namespace tacit::anonymize

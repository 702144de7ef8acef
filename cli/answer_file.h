#pragma once

#include <filesystem>
#include <string>

#include "tacit/base/error.h"
#include "tacit/sql/release.h"

namespace tacit::cli {

// Where an answer is to be written, checked before anything is paid for: a .csv, .json or .parquet
// file in a folder that can be written to.
class AnswerFile {
 public:
  static Result<AnswerFile> create(const std::string& path);

  // Writes the answer with its half-widths, whole or not at all; a file of that name is replaced.
  [[nodiscard]] Result<void> write(const sql::Answer& answer) const;

 private:
  AnswerFile(std::filesystem::path path, std::string format)
      : path_(std::move(path)), format_(std::move(format)) {}

  std::filesystem::path path_;
  std::string format_;  // as COPY calls it
};

// Writes a small text whole or not at all; a file of that name is replaced.
Result<void> write_text_file(const std::filesystem::path& path, const std::string& text);
// Refuses, before anything is paid for, a path whose folder is missing or not to be written to.
Result<void> check_writable(const std::filesystem::path& path, const std::string& option);

}  // namespace tacit::cli

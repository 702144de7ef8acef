#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "tacit/base/error.h"

namespace tacit {

// The folder of a run that outlives its process: the name under which the ledger knows the run
// (RunPermit), and its last checkpoint. While one process has it open, no other can.
//
// A checkpoint holds model, optimizer and position. It never holds a key of noise or of sampling:
// who goes on draws fresh ones. It decides nothing about privacy; the ledger alone counts steps.
//
// The file system must honour fsync and flock; network file systems seldom do. May be moved.
class RunFolder {
 public:
  // Makes the folder where it is missing, and a new name, durably. Refuses a folder with a run in
  // it.
  static Result<RunFolder> begin(const std::filesystem::path& folder);
  // Opens the folder of a run that was begun. Refuses one that another process has open.
  static Result<RunFolder> open(const std::filesystem::path& folder);
  // Whether a run was begun in the folder.
  static bool has_run(const std::filesystem::path& folder);

  RunFolder(RunFolder&& other) noexcept;
  RunFolder& operator=(RunFolder&& other) noexcept;
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;
  ~RunFolder();

  // What RunPermit::reserve and resume are given.
  [[nodiscard]] const std::string& id() const { return id_; }
  [[nodiscard]] const std::filesystem::path& path() const { return folder_; }

  // Whether a checkpoint was kept: only a run that was paid for has one.
  [[nodiscard]] bool has_checkpoint() const;
  // Replaces the checkpoint. A crash leaves the one before, or this one, whole.
  Result<void> keep_checkpoint(std::string_view bytes) const;
  // The last one, where there is one.
  [[nodiscard]] Result<std::optional<std::string>> checkpoint() const;

 private:
  RunFolder(std::filesystem::path folder, int lock) : folder_(std::move(folder)), lock_(lock) {}

  // The file of the name, locked; an empty name where it was made just now.
  static Result<RunFolder> lock(const std::filesystem::path& folder, bool make);

  std::filesystem::path folder_;
  std::string id_;
  int lock_ = -1;
};

}  // namespace tacit

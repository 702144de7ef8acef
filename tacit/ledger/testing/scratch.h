#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace tacit {

// A folder of its own for one test, gone with the object. In memory where the system has a place
// for that: what a test learns about losing power it learns from a simulation, not from the disk.
class Scratch {
 public:
  Scratch() {
    const std::filesystem::path memory = "/dev/shm";
    const bool writable = ::access(memory.c_str(), W_OK) == 0;
    const auto parent = writable ? memory : std::filesystem::temp_directory_path();
    std::string pattern = (parent / "tacit-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) std::abort();
    folder_ = pattern;
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  std::filesystem::path operator/(const std::string& name) const { return folder_ / name; }

 private:
  std::filesystem::path folder_;
};

}  // namespace tacit

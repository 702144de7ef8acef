#include "tacit/ledger/run_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>

#include "tacit/ledger/run_permit.h"

namespace tacit {
namespace {

constexpr const char* kNameFile = "run";
constexpr const char* kCheckpointFile = "checkpoint";
constexpr std::size_t kNameLength = 32;

std::unexpected<Error> file_failed(const std::string& what, const std::filesystem::path& file) {
  return world_failed(what + ": " + std::strerror(errno), file.string(),
                      "see that the folder is yours, and that the disk has room");
}

Result<void> write_all(int file, std::string_view bytes, const std::filesystem::path& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return file_failed("cannot write", path);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  if (::fsync(file) != 0) return file_failed("cannot make durable", path);
  return {};
}

// So that the names in it outlive a loss of power.
Result<void> flush_folder(const std::filesystem::path& folder) {
  const int file = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return file_failed("cannot open", folder);
  const bool done = ::fsync(file) == 0;
  ::close(file);
  if (!done) return file_failed("cannot make durable", folder);
  return {};
}

}  // namespace

RunFolder::RunFolder(RunFolder&& other) noexcept
    : folder_(std::move(other.folder_)),
      id_(std::move(other.id_)),
      lock_(std::exchange(other.lock_, -1)) {}

RunFolder& RunFolder::operator=(RunFolder&& other) noexcept {
  std::swap(folder_, other.folder_);
  std::swap(id_, other.id_);
  std::swap(lock_, other.lock_);
  return *this;
}

RunFolder::~RunFolder() {
  if (lock_ >= 0) ::close(lock_);
}

bool RunFolder::has_run(const std::filesystem::path& folder) {
  std::error_code ignored;
  return std::filesystem::file_size(folder / kNameFile, ignored) == kNameLength && !ignored;
}

Result<RunFolder> RunFolder::lock(const std::filesystem::path& folder, bool make) {
  const std::filesystem::path file = folder / kNameFile;
  const int lock = ::open(file.c_str(), O_RDWR | O_CLOEXEC | (make ? O_CREAT : 0), 0600);
  if (lock < 0) return file_failed("cannot open", file);
  RunFolder opened(folder, lock);
  if (::flock(lock, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return file_failed("cannot lock", file);
    return bad_input("another process is at this run", folder.string(),
                     "let it finish, or end it; then go on");
  }
  std::array<char, kNameLength> name{};
  const ssize_t length = ::pread(lock, name.data(), name.size(), 0);
  if (length < 0) return file_failed("cannot read", file);
  opened.id_.assign(name.data(), static_cast<std::size_t>(length));
  return opened;
}

Result<RunFolder> RunFolder::begin(const std::filesystem::path& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) {
    return world_failed("cannot make the folder: " + failed.message(), folder.string(),
                        "name a folder of yours");
  }
  TACIT_ASSIGN_OR_RETURN(RunFolder begun, lock(folder, true));
  if (begun.id_.size() == kNameLength) {
    return bad_input("there is a run in this folder already", folder.string(),
                     "go on with it, or name another folder");
  }
  TACIT_ASSIGN_OR_RETURN(begun.id_, RunPermit::new_id());
  if (::ftruncate(begun.lock_, 0) != 0) return file_failed("cannot write", folder / kNameFile);
  TACIT_RETURN_IF_ERROR(write_all(begun.lock_, begun.id_, folder / kNameFile));
  TACIT_RETURN_IF_ERROR(flush_folder(folder));
  return begun;
}

Result<RunFolder> RunFolder::open(const std::filesystem::path& folder) {
  if (!has_run(folder)) {
    return bad_input("there is no run in this folder", folder.string(), "begin one");
  }
  return lock(folder, false);
}

Result<void> RunFolder::keep_checkpoint(std::string_view bytes) const {
  const std::filesystem::path last = folder_ / kCheckpointFile;
  std::filesystem::path next = last;
  next += ".new";
  const int file = ::open(next.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) return file_failed("cannot write", next);
  const auto written = write_all(file, bytes, next);
  ::close(file);
  if (!written) return written;
  std::error_code failed;
  std::filesystem::rename(next, last, failed);
  if (failed) {
    return world_failed("cannot keep the checkpoint: " + failed.message(), last.string(),
                        "see that the folder is yours");
  }
  return flush_folder(folder_);
}

bool RunFolder::has_checkpoint() const {
  std::error_code ignored;
  return std::filesystem::exists(folder_ / kCheckpointFile, ignored);
}

Result<std::optional<std::string>> RunFolder::checkpoint() const {
  if (!has_checkpoint()) return std::nullopt;
  const std::filesystem::path last = folder_ / kCheckpointFile;
  std::ifstream file(last, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (file.bad() || !file.is_open()) {
    return world_failed("cannot read the checkpoint", last.string());
  }
  return bytes;
}

}  // namespace tacit

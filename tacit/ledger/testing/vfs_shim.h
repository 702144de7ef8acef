#pragma once

#include <sqlite3.h>

#include <atomic>
#include <new>
#include <span>
#include <string>

namespace tacit {

// A SQLite file layer over the system's that tells a test of each change to a file before it is
// made, and lets it fail. Registered under name() while the object lives; every connection that
// uses it must be closed before. Hooks may be called from several threads at once, and return
// SQLITE_OK to go on or the error to report instead.
class VfsShim {
 public:
  VfsShim();
  VfsShim(const VfsShim&) = delete;
  VfsShim& operator=(const VfsShim&) = delete;
  virtual ~VfsShim();

  [[nodiscard]] const std::string& name() const { return name_; }

  virtual int before_write(const std::string& /*path*/, std::span<const char> /*bytes*/,
                           sqlite3_int64 /*offset*/) {
    return SQLITE_OK;
  }
  virtual int before_truncate(const std::string& /*path*/, sqlite3_int64 /*size*/) {
    return SQLITE_OK;
  }
  virtual int before_sync(const std::string& /*path*/) { return SQLITE_OK; }
  virtual int before_delete(const std::string& /*path*/) { return SQLITE_OK; }

 private:
  std::string name_;
  sqlite3_vfs layer_;
};

// What SQLite calls.
namespace vfs_shim {

// What SQLite holds as a file: ours in front, the system's behind it in the same block of memory.
struct File {
  sqlite3_file base;
  VfsShim* shim;
  std::string* path;

  sqlite3_file* inner() { return reinterpret_cast<sqlite3_file*>(this + 1); }
};

inline File* ours(sqlite3_file* file) { return reinterpret_cast<File*>(file); }
inline const sqlite3_io_methods& real(sqlite3_file* file) { return *ours(file)->inner()->pMethods; }
inline sqlite3_file* inner(sqlite3_file* file) { return ours(file)->inner(); }

inline int close_file(sqlite3_file* file) {
  const int status = real(file).xClose(inner(file));
  delete ours(file)->path;
  return status;
}
inline int read_file(sqlite3_file* file, void* bytes, int size, sqlite3_int64 offset) {
  return real(file).xRead(inner(file), bytes, size, offset);
}
inline int write_file(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 offset) {
  const std::span data(static_cast<const char*>(bytes), static_cast<std::size_t>(size));
  const int status = ours(file)->shim->before_write(*ours(file)->path, data, offset);
  return status != SQLITE_OK ? status : real(file).xWrite(inner(file), bytes, size, offset);
}
inline int truncate_file(sqlite3_file* file, sqlite3_int64 size) {
  const int status = ours(file)->shim->before_truncate(*ours(file)->path, size);
  return status != SQLITE_OK ? status : real(file).xTruncate(inner(file), size);
}
inline int sync_file(sqlite3_file* file, int flags) {
  const int status = ours(file)->shim->before_sync(*ours(file)->path);
  return status != SQLITE_OK ? status : real(file).xSync(inner(file), flags);
}
inline int file_size(sqlite3_file* file, sqlite3_int64* size) {
  return real(file).xFileSize(inner(file), size);
}
inline int lock_file(sqlite3_file* file, int lock) { return real(file).xLock(inner(file), lock); }
inline int unlock_file(sqlite3_file* file, int lock) {
  return real(file).xUnlock(inner(file), lock);
}
inline int check_lock(sqlite3_file* file, int* held) {
  return real(file).xCheckReservedLock(inner(file), held);
}
inline int control(sqlite3_file* file, int operation, void* argument) {
  return real(file).xFileControl(inner(file), operation, argument);
}
inline int sector_size(sqlite3_file* file) { return real(file).xSectorSize(inner(file)); }
inline int characteristics(sqlite3_file* file) {
  return real(file).xDeviceCharacteristics(inner(file));
}
inline int map_shared(sqlite3_file* file, int page, int size, int extend, void volatile** memory) {
  return real(file).xShmMap(inner(file), page, size, extend, memory);
}
inline int lock_shared(sqlite3_file* file, int offset, int count, int flags) {
  return real(file).xShmLock(inner(file), offset, count, flags);
}
inline void barrier(sqlite3_file* file) { real(file).xShmBarrier(inner(file)); }
inline int unmap_shared(sqlite3_file* file, int remove) {
  return real(file).xShmUnmap(inner(file), remove);
}

// Version 2: shared memory, but no memory-mapped reading, which would pass the shim by.
inline constexpr sqlite3_io_methods kMethods = {
    .iVersion = 2,
    .xClose = close_file,
    .xRead = read_file,
    .xWrite = write_file,
    .xTruncate = truncate_file,
    .xSync = sync_file,
    .xFileSize = file_size,
    .xLock = lock_file,
    .xUnlock = unlock_file,
    .xCheckReservedLock = check_lock,
    .xFileControl = control,
    .xSectorSize = sector_size,
    .xDeviceCharacteristics = characteristics,
    .xShmMap = map_shared,
    .xShmLock = lock_shared,
    .xShmBarrier = barrier,
    .xShmUnmap = unmap_shared,
    .xFetch = nullptr,
    .xUnfetch = nullptr,
};

inline sqlite3_vfs* system_layer() { return sqlite3_vfs_find(nullptr); }

inline int open_file(sqlite3_vfs* layer, const char* path, sqlite3_file* file, int flags,
                     int* got) {
  File* const opened = new (file) File{};
  sqlite3_vfs* const system = system_layer();
  const int status = system->xOpen(system, path, opened->inner(), flags, got);
  if (opened->inner()->pMethods == nullptr) return status;
  opened->base.pMethods = &kMethods;
  opened->shim = static_cast<VfsShim*>(layer->pAppData);
  opened->path = new std::string(path == nullptr ? "" : path);
  return status;
}

inline int delete_file(sqlite3_vfs* layer, const char* path, int sync_folder) {
  const int status = static_cast<VfsShim*>(layer->pAppData)->before_delete(path);
  sqlite3_vfs* const system = system_layer();
  return status != SQLITE_OK ? status : system->xDelete(system, path, sync_folder);
}

}  // namespace vfs_shim

inline VfsShim::VfsShim() : layer_(*vfs_shim::system_layer()) {
  static std::atomic<int> count = 0;
  name_ = "tacit-shim-" + std::to_string(++count);
  layer_.zName = name_.c_str();
  layer_.pNext = nullptr;
  layer_.pAppData = this;
  layer_.szOsFile += static_cast<int>(sizeof(vfs_shim::File));
  layer_.xOpen = vfs_shim::open_file;
  layer_.xDelete = vfs_shim::delete_file;
  sqlite3_vfs_register(&layer_, 0);
}

inline VfsShim::~VfsShim() { sqlite3_vfs_unregister(&layer_); }

}  // namespace tacit

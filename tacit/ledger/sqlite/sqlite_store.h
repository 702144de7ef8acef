#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "tacit/base/error.h"
#include "tacit/ledger/store.h"

namespace tacit {

struct SqliteOptions {
  // The name of a registered SQLite file layer; the system's where empty. Tests of faults use it.
  std::string vfs;
  // Of a new file, in bytes: a power of two from 512 to 65536. Small ones make small files, of
  // which a test can damage every byte.
  int page_size = 4096;
};

// Entries in one SQLite file, shared by the processes of one machine. The file system must honour
// fsync and POSIX locks; network file systems seldom do.

// Makes a new file, readable and writable by its owner alone. Refuses one that exists.
Result<std::unique_ptr<Store>> create_sqlite_store(const std::filesystem::path& file,
                                                   const SqliteOptions& options = {});
// Opens a file that create_sqlite_store made. Refuses a missing one, one of another program, or one
// of a newer format (kBadInput), and a damaged one, or one that is older than the head noted beside
// it in FILE-head (kWorld). The time does not grow with the number of entries.
Result<std::unique_ptr<Store>> open_sqlite_store(const std::filesystem::path& file,
                                                 const SqliteOptions& options = {});

}  // namespace tacit

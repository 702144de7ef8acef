#include "tacit/ledger/sqlite/sqlite_store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "tacit/ledger/sqlite/connection_internal.h"

namespace tacit {
namespace {

// "Tact" in ASCII: how the file says whose it is (SQLite's header, offset 68).
constexpr int kApplicationId = 0x54616374;

// The triggers keep a person with a SQLite shell from editing by mistake. They are no defence
// against one who wants to: the chain of digests is.
constexpr const char* kSchema = R"sql(
CREATE TABLE entries(
  sequence INTEGER PRIMARY KEY,
  body TEXT NOT NULL,
  digest BLOB NOT NULL CHECK (length(digest) = 32),
  signature BLOB CHECK (signature IS NULL OR length(signature) = 64)
);
CREATE TRIGGER entries_are_kept BEFORE DELETE ON entries
  BEGIN SELECT RAISE(ABORT, 'a ledger entry is never removed'); END;
CREATE TRIGGER entries_stand BEFORE UPDATE ON entries
  BEGIN SELECT RAISE(ABORT, 'a ledger entry is never changed'); END;
CREATE TRIGGER entries_follow BEFORE INSERT ON entries
  WHEN NEW.sequence IS NOT (SELECT coalesce(max(sequence), 0) + 1 FROM entries)
  BEGIN SELECT RAISE(ABORT, 'a ledger entry follows the last'); END;
)sql";

std::unexpected<Error> damaged(const sqlite::Connection& connection, std::string what) {
  return world_failed(std::move(what), connection.place(),
                      "the file is damaged; restore a copy whose head you know");
}

Result<StoredEntry> read_row(sqlite::Statement& row, const sqlite::Connection& connection) {
  StoredEntry entry;
  entry.sequence = static_cast<std::uint64_t>(row.integer(0));
  entry.body = row.bytes(1);
  const std::string_view digest = row.bytes(2);
  const std::string_view signature = row.bytes(3);
  if (digest.size() != entry.digest.bytes.size() ||
      (!row.is_null(3) && signature.size() != Signature{}.bytes.size())) {
    return damaged(connection, fmt::format("entry {} is not whole", entry.sequence));
  }
  std::memcpy(entry.digest.bytes.data(), digest.data(), digest.size());
  if (!row.is_null(3)) {
    std::memcpy(entry.signature.emplace().bytes.data(), signature.data(), signature.size());
  }
  return entry;
}

Result<Head> read_head(sqlite::Connection& connection) {
  TACIT_ASSIGN_OR_RETURN(
      auto last,
      connection.prepare("SELECT sequence, digest FROM entries ORDER BY sequence DESC LIMIT 1"));
  TACIT_ASSIGN_OR_RETURN(const bool found, last.step());
  Head head;
  if (!found) return head;
  head.sequence = static_cast<std::uint64_t>(last.integer(0));
  const std::string_view digest = last.bytes(1);
  if (digest.size() != head.digest.bytes.size()) {
    return damaged(connection, fmt::format("entry {} is not whole", head.sequence));
  }
  std::memcpy(head.digest.bytes.data(), digest.data(), digest.size());
  return head;
}

Result<std::vector<StoredEntry>> read_entries(sqlite::Connection& connection, std::uint64_t after,
                                              std::size_t limit) {
  TACIT_ASSIGN_OR_RETURN(auto rows,
                         connection.prepare("SELECT sequence, body, digest, signature FROM entries "
                                            "WHERE sequence > ?1 ORDER BY sequence LIMIT ?2"));
  TACIT_RETURN_IF_ERROR(rows.bind(1, static_cast<std::int64_t>(after)));
  TACIT_RETURN_IF_ERROR(
      rows.bind(2, static_cast<std::int64_t>(std::min<std::size_t>(limit, INT64_MAX))));
  std::vector<StoredEntry> entries;
  for (;;) {
    TACIT_ASSIGN_OR_RETURN(const bool found, rows.step());
    if (!found) return entries;
    TACIT_ASSIGN_OR_RETURN(StoredEntry entry, read_row(rows, connection));
    entries.push_back(std::move(entry));
  }
}

class SqliteTransaction final : public Store::Transaction {
 public:
  explicit SqliteTransaction(sqlite::Connection& connection) : connection_(connection) {}
  SqliteTransaction(const SqliteTransaction&) = delete;
  SqliteTransaction& operator=(const SqliteTransaction&) = delete;
  ~SqliteTransaction() override {
    // Also after a failed COMMIT, which may leave the transaction open. If this fails, the lock is
    // given up with the connection.
    // NOLINTNEXTLINE(bugprone-unused-return-value)
    if (!ended_) static_cast<void>(connection_.run("ROLLBACK"));
  }

  Result<Head> head() override { return read_head(connection_); }

  Result<std::vector<StoredEntry>> read(std::uint64_t after, std::size_t limit) override {
    return read_entries(connection_, after, limit);
  }

  Result<void> append(std::span<const StoredEntry> entries) override {
    TACIT_ASSIGN_OR_RETURN(
        auto insert,
        connection_.prepare(
            "INSERT INTO entries(sequence, body, digest, signature) VALUES(?1, ?2, ?3, ?4)"));
    for (const StoredEntry& entry : entries) {
      TACIT_RETURN_IF_ERROR(insert.bind(1, static_cast<std::int64_t>(entry.sequence)));
      TACIT_RETURN_IF_ERROR(insert.bind_text(2, entry.body));
      TACIT_RETURN_IF_ERROR(insert.bind_blob(3, entry.digest.bytes));
      if (entry.signature) {
        TACIT_RETURN_IF_ERROR(insert.bind_blob(4, entry.signature->bytes));
      }
      TACIT_RETURN_IF_ERROR(insert.step());
      insert.reset();
    }
    return {};
  }

  Result<void> commit() override {
    TACIT_RETURN_IF_ERROR(connection_.run("COMMIT"));
    ended_ = true;
    return {};
  }

 private:
  sqlite::Connection& connection_;
  bool ended_ = false;
};

class SqliteStore final : public Store {
 public:
  explicit SqliteStore(sqlite::Connection connection) : connection_(std::move(connection)) {}

  Result<std::unique_ptr<Transaction>> begin() override {
    TACIT_RETURN_IF_ERROR(connection_.run("BEGIN IMMEDIATE"));
    return std::make_unique<SqliteTransaction>(connection_);
  }
  Result<Head> head() override { return read_head(connection_); }
  Result<std::vector<StoredEntry>> read(std::uint64_t after, std::size_t limit) override {
    return read_entries(connection_, after, limit);
  }
  std::string place() const override { return connection_.place(); }

 private:
  sqlite::Connection connection_;
};

// A rollback journal, so that COMMIT leaves every entry in the main file: an entry in a write-ahead
// log would be lost with that log, and nothing would show it. NORMAL flushes the journal once where
// FULL does it twice; either way the main file is written after that flush, and COMMIT returns
// after the main file and the journal's emptied header are flushed (a journal that is deleted or
// cut short would come back after a loss of power, and undo what was granted). See
// docs/ledger-format.md, "How an entry becomes durable".
Result<void> configure(sqlite::Connection& connection) {
  TACIT_ASSIGN_OR_RETURN(const std::string mode, connection.text("PRAGMA journal_mode = PERSIST"));
  if (mode != "persist") {
    return world_failed(fmt::format("SQLite keeps a journal of the kind '{}' only", mode),
                        connection.place(), "close what else has the file open");
  }
  TACIT_RETURN_IF_ERROR(connection.run("PRAGMA synchronous = NORMAL"));
  TACIT_RETURN_IF_ERROR(connection.run("PRAGMA cell_size_check = ON"));
  return connection.run("PRAGMA trusted_schema = OFF");
}

// Whether the tables are a ledger's, whatever the header says.
Result<bool> has_entries(sqlite::Connection& connection) {
  TACIT_ASSIGN_OR_RETURN(
      const std::int64_t tables,
      connection.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'entries'"));
  return tables > 0;
}

Result<void> check_format(sqlite::Connection& connection) {
  TACIT_ASSIGN_OR_RETURN(const std::int64_t owner, connection.integer("PRAGMA application_id"));
  if (owner != kApplicationId) {
    TACIT_ASSIGN_OR_RETURN(const bool ledger, has_entries(connection));
    if (ledger) return damaged(connection, "the file's header does not say that it is a ledger");
    TACIT_ASSIGN_OR_RETURN(const std::int64_t pages, connection.integer("PRAGMA page_count"));
    if (pages == 0) return damaged(connection, "the file is empty: its ledger is lost");
    return bad_input("the file is not a Tacit ledger", connection.place(),
                     "name the ledger's file, or make one with: tacit init");
  }
  TACIT_ASSIGN_OR_RETURN(const std::int64_t format, connection.integer("PRAGMA user_version"));
  if (format > Store::kFormat) {
    return bad_input(
        fmt::format("the ledger has format {}, this version knows {}", format, Store::kFormat),
        connection.place(), "install a newer Tacit; nothing was changed");
  }
  if (format != Store::kFormat) {
    return damaged(connection, fmt::format("the ledger has no format {}", format));
  }
  return {};
}

// A damaged page or list of free pages could let a new entry overwrite an old one. What the entries
// say, Ledger checks.
Result<void> check_structure(sqlite::Connection& connection) {
  TACIT_ASSIGN_OR_RETURN(const std::string found, connection.text("PRAGMA quick_check(1)"));
  if (found == "ok") return {};
  return damaged(connection, "SQLite: " + found);
}

// A new file's name is part of its folder, and is lost with power unless that is flushed too.
Result<void> flush_folder(const std::filesystem::path& file) {
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool flushed = descriptor >= 0 && ::fsync(descriptor) == 0;
  const int error = errno;
  if (descriptor >= 0) ::close(descriptor);
  if (flushed) return {};
  return world_failed(fmt::format("the folder cannot be flushed: {}", std::strerror(error)),
                      folder.string(), "keep the ledger on a local disk");
}

}  // namespace

Result<std::unique_ptr<Store>> create_sqlite_store(const std::filesystem::path& file,
                                                   const SqliteOptions& options) {
  const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor < 0) {
    const int error = errno;
    if (error == EEXIST) {
      return bad_input("the file exists already", file.string(), "open it, or name another");
    }
    return world_failed(std::strerror(error), file.string());
  }
  ::close(descriptor);
  TACIT_RETURN_IF_ERROR(flush_folder(file));
  TACIT_ASSIGN_OR_RETURN(auto connection, sqlite::Connection::open(file, options.vfs));
  TACIT_RETURN_IF_ERROR(configure(connection));
  TACIT_RETURN_IF_ERROR(connection.run("BEGIN EXCLUSIVE"));
  TACIT_RETURN_IF_ERROR(connection.run(kSchema));
  TACIT_RETURN_IF_ERROR(connection.run(fmt::format(
      "PRAGMA application_id = {}; PRAGMA user_version = {}", kApplicationId, Store::kFormat)));
  TACIT_RETURN_IF_ERROR(connection.run("COMMIT"));
  return std::make_unique<SqliteStore>(std::move(connection));
}

Result<std::unique_ptr<Store>> open_sqlite_store(const std::filesystem::path& file,
                                                 const SqliteOptions& options) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) {
    return bad_input("there is no ledger file", file.string(), "make one with: tacit init");
  }
  TACIT_ASSIGN_OR_RETURN(auto connection, sqlite::Connection::open(file, options.vfs));
  TACIT_RETURN_IF_ERROR(check_format(connection));
  TACIT_RETURN_IF_ERROR(check_structure(connection));
  TACIT_RETURN_IF_ERROR(configure(connection));
  return std::make_unique<SqliteStore>(std::move(connection));
}

}  // namespace tacit

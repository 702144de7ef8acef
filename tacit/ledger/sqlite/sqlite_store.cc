#include "tacit/ledger/sqlite/sqlite_store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "tacit/ledger/sqlite/connection_internal.h"
#include "tacit/ledger/sqlite/noted_head_internal.h"

namespace tacit {
namespace {

// "Tact" in ASCII: how the file says whose it is (SQLite's header, offset 68).
constexpr int kApplicationId = 0x54616374;

// The format in SQLite's header (offset 60): the number in each of the four bytes, so that a
// damaged one is not taken for that of a newer version.
constexpr std::int64_t kFormatMark = 0x01010101;

// The triggers keep a person with a SQLite shell from editing by mistake. They are no defence
// against one who wants to: the chain of digests is. `head` repeats the last entry on a page of its
// own: a damaged pointer that hides the end of the log does not hide that it is gone.
constexpr const char* kSchema = R"sql(
CREATE TABLE entries(
  sequence INTEGER PRIMARY KEY,
  body TEXT NOT NULL,
  digest BLOB NOT NULL CHECK (length(digest) = 32),
  signature BLOB CHECK (signature IS NULL OR length(signature) = 64)
);
CREATE TABLE head(
  sequence INTEGER NOT NULL,
  digest BLOB NOT NULL
);
CREATE TABLE checkpoints(
  sequence INTEGER PRIMARY KEY,
  body BLOB NOT NULL,
  digest BLOB NOT NULL CHECK (length(digest) = 32)
);
CREATE TABLE releases(
  dataset TEXT NOT NULL,
  fingerprint BLOB NOT NULL CHECK (length(fingerprint) = 32),
  sequence INTEGER NOT NULL,
  body BLOB NOT NULL,
  digest BLOB NOT NULL CHECK (length(digest) = 32),
  PRIMARY KEY (dataset, fingerprint, sequence)
) WITHOUT ROWID;
CREATE TRIGGER entries_are_kept BEFORE DELETE ON entries
  BEGIN SELECT RAISE(ABORT, 'a ledger entry is never removed'); END;
CREATE TRIGGER entries_stand BEFORE UPDATE ON entries
  BEGIN SELECT RAISE(ABORT, 'a ledger entry is never changed'); END;
CREATE TRIGGER entries_follow BEFORE INSERT ON entries
  WHEN NEW.sequence IS NOT (SELECT coalesce(max(sequence), 0) + 1 FROM entries)
  BEGIN SELECT RAISE(ABORT, 'a ledger entry follows the last'); END;
CREATE TRIGGER entries_are_counted AFTER INSERT ON entries
  BEGIN UPDATE head SET sequence = NEW.sequence, digest = NEW.digest; END;
CREATE TRIGGER head_is_kept BEFORE DELETE ON head
  BEGIN SELECT RAISE(ABORT, 'the head of a ledger is never removed'); END;
CREATE TRIGGER head_follows BEFORE UPDATE ON head
  WHEN NEW.sequence IS NOT OLD.sequence + 1
  BEGIN SELECT RAISE(ABORT, 'the head of a ledger follows its entries'); END;
CREATE TRIGGER checkpoints_are_kept BEFORE DELETE ON checkpoints
  BEGIN SELECT RAISE(ABORT, 'a checkpoint is never removed'); END;
CREATE TRIGGER checkpoints_stand BEFORE UPDATE ON checkpoints
  BEGIN SELECT RAISE(ABORT, 'a checkpoint is never changed'); END;
CREATE TRIGGER releases_are_kept BEFORE DELETE ON releases
  BEGIN SELECT RAISE(ABORT, 'a release on record is never removed'); END;
CREATE TRIGGER releases_stand BEFORE UPDATE ON releases
  BEGIN SELECT RAISE(ABORT, 'a release on record is never changed'); END;
)sql";

std::unexpected<Error> damaged(const sqlite::Connection& connection, std::string what) {
  return world_failed(std::move(what), connection.place(),
                      "the file is damaged; restore a copy whose head you know");
}

// Fails where the field is not of the size of its type.
Result<Digest> read_digest(const sqlite::Statement& row, int column,
                           const sqlite::Connection& connection) {
  Digest digest;
  const std::string_view bytes = row.bytes(column);
  if (bytes.size() != digest.bytes.size()) return damaged(connection, "a digest is not whole");
  std::memcpy(digest.bytes.data(), bytes.data(), bytes.size());
  return digest;
}

Result<StoredEntry> read_row(const sqlite::Statement& row, const sqlite::Connection& connection) {
  StoredEntry entry;
  entry.sequence = static_cast<std::uint64_t>(row.integer(0));
  entry.body = row.bytes(1);
  TACIT_ASSIGN_OR_RETURN(entry.digest, read_digest(row, 2, connection));
  if (row.is_null(3)) return entry;
  const std::string_view signature = row.bytes(3);
  entry.signature.emplace();
  if (signature.size() != entry.signature->bytes.size()) {
    return damaged(connection,
                   fmt::format("the signature of entry {} is not whole", entry.sequence));
  }
  std::memcpy(entry.signature->bytes.data(), signature.data(), signature.size());
  return entry;
}

// The two places that say where the log ends must agree. One statement reads both, so that no
// commit comes between.
Result<Head> read_head(sqlite::Connection& connection) {
  TACIT_ASSIGN_OR_RETURN(
      auto row, connection.prepare("SELECT head.sequence, head.digest, last.sequence, last.digest "
                                   "FROM head LEFT JOIN entries AS last "
                                   "ON last.sequence = (SELECT max(sequence) FROM entries)"));
  TACIT_ASSIGN_OR_RETURN(const bool found, row.step());
  if (!found) return damaged(connection, "the head of the log is gone");
  Head head{.sequence = static_cast<std::uint64_t>(row.integer(0)), .digest = {}};
  TACIT_ASSIGN_OR_RETURN(head.digest, read_digest(row, 1, connection));
  Head last;
  if (!row.is_null(2)) {
    last.sequence = static_cast<std::uint64_t>(row.integer(2));
    TACIT_ASSIGN_OR_RETURN(last.digest, read_digest(row, 3, connection));
  }
  if (head == last) return head;
  return damaged(connection, fmt::format("the log ends at entry {}, and should at entry {}",
                                         last.sequence, head.sequence));
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

Result<std::optional<StoredCheckpoint>> read_last_checkpoint(sqlite::Connection& connection) {
  TACIT_ASSIGN_OR_RETURN(auto row,
                         connection.prepare("SELECT sequence, body, digest FROM "
                                            "checkpoints ORDER BY sequence DESC LIMIT 1"));
  TACIT_ASSIGN_OR_RETURN(const bool found, row.step());
  if (!found) return std::nullopt;
  StoredCheckpoint checkpoint{.sequence = static_cast<std::uint64_t>(row.integer(0)),
                              .body = std::string(row.bytes(1)),
                              .digest = {}};
  TACIT_ASSIGN_OR_RETURN(checkpoint.digest, read_digest(row, 2, connection));
  return checkpoint;
}

// Moves all that is committed from the write-ahead log into the file and flushes it; false where
// another process is at it. FULL holds the writers' lock meanwhile: without it a log that grew at
// the same time would be copied unflushed.
Result<bool> empty_log(sqlite::Connection& connection) {
  TACIT_ASSIGN_OR_RETURN(auto row, connection.prepare("PRAGMA wal_checkpoint(FULL)"));
  TACIT_ASSIGN_OR_RETURN(const bool found, row.step());
  return found && row.integer(0) == 0 && row.integer(1) == row.integer(2);
}

// Commits, and returns after the entries lie in the file itself.
Result<void> finish(sqlite::Connection& connection) {
  TACIT_RETURN_IF_ERROR(connection.run("COMMIT"));
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + std::chrono::milliseconds(Store::kWaitMilliseconds);
  while (Clock::now() < deadline) {
    TACIT_ASSIGN_OR_RETURN(const bool done, empty_log(connection));
    if (done) return {};
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return world_failed("the entries were made, but could not be moved into the file",
                      connection.place(),
                      "another process reads the ledger for long; end it, and see 'tacit ledger "
                      "history' before asking again");
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

  Result<void> append(const StoredCheckpoint& checkpoint) override {
    TACIT_ASSIGN_OR_RETURN(
        auto insert,
        connection_.prepare("INSERT INTO checkpoints(sequence, body, digest) VALUES(?1, ?2, ?3)"));
    TACIT_RETURN_IF_ERROR(insert.bind(1, static_cast<std::int64_t>(checkpoint.sequence)));
    TACIT_RETURN_IF_ERROR(insert.bind_blob(2, bytes_of(checkpoint.body)));
    TACIT_RETURN_IF_ERROR(insert.bind_blob(3, checkpoint.digest.bytes));
    TACIT_RETURN_IF_ERROR(insert.step());
    return {};
  }

  Result<void> append(const StoredRelease& release) override {
    TACIT_ASSIGN_OR_RETURN(
        auto insert,
        connection_.prepare("INSERT INTO releases(dataset, fingerprint, sequence, body, digest) "
                            "VALUES(?1, ?2, ?3, ?4, ?5)"));
    TACIT_RETURN_IF_ERROR(insert.bind_text(1, release.dataset));
    TACIT_RETURN_IF_ERROR(insert.bind_blob(2, release.fingerprint.bytes));
    TACIT_RETURN_IF_ERROR(insert.bind(3, static_cast<std::int64_t>(release.sequence)));
    TACIT_RETURN_IF_ERROR(insert.bind_blob(4, bytes_of(release.body)));
    TACIT_RETURN_IF_ERROR(insert.bind_blob(5, release.digest.bytes));
    TACIT_RETURN_IF_ERROR(insert.step());
    return {};
  }

  Result<std::optional<StoredCheckpoint>> last_checkpoint() override {
    return read_last_checkpoint(connection_);
  }

  Result<void> commit() override {
    TACIT_ASSIGN_OR_RETURN(const Head head, read_head(connection_));
    TACIT_RETURN_IF_ERROR(finish(connection_));
    ended_ = true;
    sqlite::note_head(connection_.place(), head);
    return {};
  }

 private:
  static std::span<const std::uint8_t> bytes_of(const std::string& text) {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
  }

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
  Result<std::optional<StoredCheckpoint>> last_checkpoint() override {
    return read_last_checkpoint(connection_);
  }
  Result<std::optional<StoredRelease>> last_release(const std::string& dataset,
                                                    const Digest& fingerprint) override {
    TACIT_ASSIGN_OR_RETURN(
        auto row, connection_.prepare("SELECT sequence, body, digest FROM releases WHERE dataset = "
                                      "?1 AND fingerprint = ?2 ORDER BY sequence DESC LIMIT 1"));
    TACIT_RETURN_IF_ERROR(row.bind_text(1, dataset));
    TACIT_RETURN_IF_ERROR(row.bind_blob(2, fingerprint.bytes));
    TACIT_ASSIGN_OR_RETURN(const bool found, row.step());
    if (!found) return std::nullopt;
    StoredRelease release{.sequence = static_cast<std::uint64_t>(row.integer(0)),
                          .dataset = dataset,
                          .fingerprint = fingerprint,
                          .body = std::string(row.bytes(1)),
                          .digest = {}};
    TACIT_ASSIGN_OR_RETURN(release.digest, read_digest(row, 2, connection_));
    return release;
  }
  Result<void> check_whole() override {
    TACIT_ASSIGN_OR_RETURN(const std::string found, connection_.text("PRAGMA quick_check(1)"));
    if (found == "ok") return {};
    return damaged(connection_, "SQLite: " + found);
  }
  std::string place() const override { return connection_.place(); }

 private:
  sqlite::Connection connection_;
};

// A write-ahead log that is emptied into the file by every commit (finish), before a permit is
// given: nothing granted ever depends on a second file. NORMAL leaves the flush of the log to that
// step, which makes it before it touches the file. The log's checksums cover every byte; those of a
// rollback journal are samples, and let a torn page pass. See docs/ledger-format.md, "How an entry
// becomes durable".
Result<void> configure(sqlite::Connection& connection) {
  TACIT_ASSIGN_OR_RETURN(const std::string mode, connection.text("PRAGMA journal_mode = WAL"));
  if (mode != "wal") {
    return world_failed(fmt::format("SQLite keeps a journal of the kind '{}' only", mode),
                        connection.place(), "close what else has the file open");
  }
  TACIT_RETURN_IF_ERROR(connection.run("PRAGMA synchronous = NORMAL"));
  TACIT_RETURN_IF_ERROR(connection.run("PRAGMA wal_autocheckpoint = 0"));
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
  TACIT_ASSIGN_OR_RETURN(const std::int64_t mark, connection.integer("PRAGMA user_version"));
  const std::int64_t format = mark & 0xff;
  if (mark != format * kFormatMark || format == 0) {
    return damaged(connection, fmt::format("the ledger's format is not readable: {:#010x}", mark));
  }
  if (format > Store::kFormat) {
    return bad_input(
        fmt::format("the ledger has format {}, this version knows {}", format, Store::kFormat),
        connection.place(), "install a newer Tacit; nothing was changed");
  }
  return {};
}

// Every table with its root page. A trigger that is gone or damaged makes appending fail.
Result<std::string> schema_of(sqlite::Connection& connection) {
  return connection.text(
      "SELECT group_concat(name || tbl_name || rootpage || coalesce(sql, ''), char(10)) "
      "FROM sqlite_schema WHERE type <> 'trigger'");
}

// That of a ledger with pages of this size.
Result<std::string> expected_schema(std::int64_t page_size) {
  TACIT_ASSIGN_OR_RETURN(auto fresh, sqlite::Connection::in_memory());
  TACIT_RETURN_IF_ERROR(fresh.run(fmt::format("PRAGMA page_size = {}", page_size)));
  TACIT_RETURN_IF_ERROR(fresh.run(kSchema));
  return schema_of(fresh);
}

// What decides where a new entry lands. A damaged schema, a list of free pages (a ledger has none,
// as nothing is removed) or a wrong count of pages could let it overwrite an old one. The rest of
// the structure is for check_whole(); what the entries say, Ledger checks.
Result<void> check_room(sqlite::Connection& connection, const std::filesystem::path& file) {
  // One transaction, so that the file does not grow between its size and the count.
  TACIT_RETURN_IF_ERROR(connection.run("BEGIN"));
  TACIT_ASSIGN_OR_RETURN(const std::string schema, schema_of(connection));
  TACIT_ASSIGN_OR_RETURN(const std::int64_t free, connection.integer("PRAGMA freelist_count"));
  TACIT_ASSIGN_OR_RETURN(const std::int64_t pages, connection.integer("PRAGMA page_count"));
  TACIT_ASSIGN_OR_RETURN(const std::int64_t page_size, connection.integer("PRAGMA page_size"));
  std::error_code error;
  const auto size = std::filesystem::file_size(file, error);
  TACIT_RETURN_IF_ERROR(connection.run("COMMIT"));
  TACIT_ASSIGN_OR_RETURN(const std::string expected, expected_schema(page_size));
  if (schema != expected) return damaged(connection, "its tables are not those of a ledger");
  if (free != 0) return damaged(connection, "pages of the log are marked as free");
  // Less than that much is there where a commit is still in the write-ahead log.
  if (error || size > static_cast<std::uintmax_t>(pages * page_size)) {
    return damaged(connection, fmt::format("the file is longer than its {} pages", pages));
  }
  return {};
}

// The log must reach the head that was noted beside it.
Result<void> check_noted_head(sqlite::Connection& connection) {
  const std::optional<Head> noted = sqlite::noted_head(connection.place());
  if (!noted || noted->sequence == 0) return {};
  TACIT_ASSIGN_OR_RETURN(const auto entries, read_entries(connection, noted->sequence - 1, 1));
  if (!entries.empty() && entries.front().sequence == noted->sequence &&
      entries.front().digest == noted->digest) {
    return {};
  }
  return world_failed(
      fmt::format("the log is not the one that had entry {} {}", noted->sequence,
                  noted->digest.hex()),
      connection.place(),
      fmt::format(
          "an older copy or an old journal was put back, and charges are forgotten: find "
          "the newer file, or enter what is missing with 'tacit ledger charge --beyond-cap' "
          "after removing {}",
          sqlite::head_file(connection.place())));
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
  TACIT_RETURN_IF_ERROR(connection.run(fmt::format("PRAGMA page_size = {}", options.page_size)));
  TACIT_RETURN_IF_ERROR(configure(connection));
  TACIT_RETURN_IF_ERROR(connection.run("BEGIN EXCLUSIVE"));
  TACIT_RETURN_IF_ERROR(connection.run(kSchema));
  TACIT_RETURN_IF_ERROR(connection.run("INSERT INTO head VALUES(0, zeroblob(32))"));
  TACIT_RETURN_IF_ERROR(
      connection.run(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}",
                                 kApplicationId, Store::kFormat * kFormatMark)));
  TACIT_RETURN_IF_ERROR(finish(connection));
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
  TACIT_RETURN_IF_ERROR(check_room(connection, file));
  TACIT_RETURN_IF_ERROR(configure(connection));
  TACIT_RETURN_IF_ERROR(check_noted_head(connection));
  return std::make_unique<SqliteStore>(std::move(connection));
}

}  // namespace tacit

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "tacit/ledger/sqlite/connection_internal.h"
#include "tacit/ledger/store.h"

namespace tacit::sqlite {
namespace {

// What can be done about a failure of SQLite.
std::string remedy(int status) {
  switch (status & 0xff) {
    case SQLITE_FULL:
      return "make room on the disk; nothing was granted";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return "another process held the ledger for too long; try again";
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return "the file is damaged; restore a copy whose head you know";
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_CANTOPEN:
      return "the ledger's file and its folder must be writable by this user";
    default:
      return "check the disk and the file system; nothing was granted";
  }
}

std::unexpected<Error> failed(sqlite3* handle, int status, const std::string& place) {
  return world_failed(fmt::format("SQLite: {}", handle == nullptr ? sqlite3_errstr(status)
                                                                  : sqlite3_errmsg(handle)),
                      place, remedy(status));
}

// Waits for another process. SQLite's own waits grow to 100 ms, which lets a free lock lie; ours
// stay at a few milliseconds. The sum of all waits is kWaitMilliseconds at least.
int wait_for_turn(void* /*unused*/, int waits) {
  constexpr int kLongest = 2;
  if (waits > Store::kWaitMilliseconds / kLongest + 10) return 0;
  const auto tenths = std::min(waits + 1, 10 * kLongest);
  std::this_thread::sleep_for(std::chrono::microseconds(100 * tenths));
  return 1;
}

}  // namespace

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

void Connection::Close::operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }

Result<void> Statement::checked(int status) const {
  if (status == SQLITE_OK) return {};
  return failed(sqlite3_db_handle(statement_.get()), status, place_);
}

Result<void> Statement::bind(int index, std::int64_t value) {
  return checked(sqlite3_bind_int64(statement_.get(), index, value));
}

Result<void> Statement::bind_text(int index, std::string_view text) {
  return checked(sqlite3_bind_text64(statement_.get(), index, text.data(), text.size(),
                                     SQLITE_STATIC, SQLITE_UTF8));
}

Result<void> Statement::bind_blob(int index, std::span<const std::uint8_t> bytes) {
  return checked(
      sqlite3_bind_blob64(statement_.get(), index, bytes.data(), bytes.size(), SQLITE_STATIC));
}

Result<bool> Statement::step() {
  const int status = sqlite3_step(statement_.get());
  if (status == SQLITE_ROW) return true;
  if (status == SQLITE_DONE) return false;
  return failed(sqlite3_db_handle(statement_.get()), status, place_);
}

void Statement::reset() {
  sqlite3_reset(statement_.get());
  sqlite3_clear_bindings(statement_.get());
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

std::string_view Statement::bytes(int column) const {
  const void* data = sqlite3_column_blob(statement_.get(), column);
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column));
  return data == nullptr ? std::string_view{}
                         : std::string_view(static_cast<const char*>(data), size);
}

bool Statement::is_null(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

Result<Connection> Connection::open(const std::filesystem::path& file, const std::string& vfs) {
  return open(file.string(), SQLITE_OPEN_READWRITE, vfs.empty() ? nullptr : vfs.c_str());
}

Result<Connection> Connection::in_memory() {
  return open(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY, nullptr);
}

Result<Connection> Connection::open(const std::string& name, int flags, const char* vfs) {
  sqlite3* handle = nullptr;
  const int status = sqlite3_open_v2(name.c_str(), &handle,
                                     flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, vfs);
  Connection connection(handle, name);
  if (status != SQLITE_OK) return failed(handle, status, name);
  sqlite3_busy_handler(handle, wait_for_turn, nullptr);
  return connection;
}

Result<void> Connection::run(const std::string& sql) {
  const int status = sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (status != SQLITE_OK) return failed(handle_.get(), status, place_);
  return {};
}

Result<Statement> Connection::prepare(std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  const int status = sqlite3_prepare_v2(handle_.get(), sql.data(), static_cast<int>(sql.size()),
                                        &statement, nullptr);
  if (status != SQLITE_OK) return failed(handle_.get(), status, place_);
  return Statement(statement, place_);
}

Result<Statement> Connection::first_row(std::string_view sql) {
  TACIT_ASSIGN_OR_RETURN(Statement row, prepare(sql));
  TACIT_ASSIGN_OR_RETURN(const bool found, row.step());
  if (!found) return world_failed("SQLite: no answer", place_);
  return row;
}

Result<std::int64_t> Connection::integer(std::string_view sql) {
  TACIT_ASSIGN_OR_RETURN(const Statement row, first_row(sql));
  return row.integer(0);
}

Result<std::string> Connection::text(std::string_view sql) {
  TACIT_ASSIGN_OR_RETURN(const Statement row, first_row(sql));
  return std::string(row.bytes(0));
}

}  // namespace tacit::sqlite

#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "tacit/base/error.h"

struct sqlite3;
struct sqlite3_stmt;

// SQLite's C interface with errors as values and handles that close themselves.
namespace tacit::sqlite {

// One prepared statement. Must not outlive its connection.
class Statement {
 public:
  Result<void> bind(int index, std::int64_t value);
  // The bytes must stay until the statement is reset or gone.
  Result<void> bind_text(int index, std::string_view text);
  Result<void> bind_blob(int index, std::span<const std::uint8_t> bytes);

  // True where there is a row.
  Result<bool> step();
  void reset();

  // Of the current row; views last until the next step.
  [[nodiscard]] std::int64_t integer(int column) const;
  [[nodiscard]] std::string_view bytes(int column) const;
  [[nodiscard]] bool is_null(int column) const;

 private:
  friend class Connection;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  Statement(sqlite3_stmt* statement, std::string place)
      : statement_(statement), place_(std::move(place)) {}

  Result<void> checked(int status) const;

  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  std::string place_;
};

class Connection {
 public:
  // Opens an existing file for reading and writing. `vfs` names a registered file layer; empty for
  // the system's.
  static Result<Connection> open(const std::filesystem::path& file, const std::string& vfs);

  // A new, empty database that is gone with the object.
  static Result<Connection> in_memory();

  // Runs statements to their end and drops their rows.
  Result<void> run(const std::string& sql);
  Result<Statement> prepare(std::string_view sql);
  // The first column of the first row.
  Result<std::int64_t> integer(std::string_view sql);
  Result<std::string> text(std::string_view sql);

  [[nodiscard]] const std::string& place() const { return place_; }

 private:
  struct Close {
    void operator()(sqlite3* handle) const;
  };
  static Result<Connection> open(const std::string& name, int flags, const char* vfs);
  Result<Statement> first_row(std::string_view sql);

  Connection(sqlite3* handle, std::string place) : handle_(handle), place_(std::move(place)) {}

  std::unique_ptr<sqlite3, Close> handle_;
  std::string place_;
};

}  // namespace tacit::sqlite

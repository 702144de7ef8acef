#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "tacit/base/error.h"
#include "tacit/data/dialect.h"
#include "tacit/data/table.h"

namespace tacit {

// A database that keeps the rows, reached through an ADBC driver that is loaded at run time.
//
// An engine's own error text can hold values of private rows. It is kept apart: `query` answers one
// fixed error that depends on no row, and `steward_detail` has the engine's words for the steward
// alone. Not safe for use from two threads at once, but for cancel().
class Engine {
 public:
  // An embedded DuckDB in memory, with access to files as `files` says.
  enum class Files : bool { kRefused, kAllowed };
  static Result<Engine> duckdb_in_memory(Files files);
  // A DuckDB database file, opened for reading only.
  static Result<Engine> duckdb(const std::filesystem::path& file);
  // A server by URI. Passwords come from the environment, as libpq takes them. The session is
  // read-only; after a failure the next query opens another where the server has gone.
  static Result<Engine> postgres(const std::string& uri);
  // Spark Connect: "spark://host:15002"; a token comes from TACIT_SPARK_TOKEN.
  static Result<Engine> spark(const std::string& uri);

  Engine(Engine&&) noexcept;
  Engine& operator=(Engine&&) noexcept;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  ~Engine();

  [[nodiscard]] const Dialect& dialect() const;

  // Runs one statement and brings its whole result. The error is of kind kWorld and says only that
  // the engine failed (or was cancelled), never why.
  Result<Table> query(const std::string& sql);
  Result<void> execute(const std::string& sql);
  // The same for a result of whole numbers of at most 64 bits with a sign, none of them NULL: for
  // results of millions of rows.
  Result<IntegerColumns> query_integers(const std::string& sql);
  // The same a block of rows after another, none of which is kept: for results that may not fit
  // into memory. Where it fails, some blocks were taken.
  Result<void> each_integers(const std::string& sql,
                             const std::function<void(const IntegerColumns&)>& take);
  // Inserts a table made here, under that name; for released values in the embedded engine.
  Result<void> load(const std::string& table_name, const Table& table);
  // Makes a table of that name in `target` out of a statement's result, from its Arrow arrays as
  // they are: between two dialects of texts and 64-bit integers alone, which are the same in all.
  // An error is this engine's where it failed, else the target's.
  Result<void> copy(const std::string& sql, Engine& target, const std::string& table_name);

  // Opens another session where a failure has ended that of a server. It reads no row, so it is
  // asked before anything is charged; a query asks by itself.
  Result<void> reconnect();

  // What the engine itself said of the last failure. Not for release.
  [[nodiscard]] const std::string& steward_detail() const;

  // May be called from another thread or a signal handler's thread: ends a running query soon.
  void cancel();

 private:
  class State;
  explicit Engine(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace tacit

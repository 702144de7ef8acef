#pragma once

#include <arrow-adbc/adbc.h>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tacit/base/error.h"

// The C interfaces of ADBC and Arrow, owned. What a driver says of a failure can hold values of
// private rows, so it travels as a Failure and not as an Error.
namespace tacit::adbc {

struct Failure {
  AdbcStatusCode status = ADBC_STATUS_OK;
  std::string text;
};

template <class T>
using Outcome = std::expected<T, Failure>;

// The error that a driver fills; released with the object.
class ErrorSlot {
 public:
  ErrorSlot() = default;
  ErrorSlot(const ErrorSlot&) = delete;
  ErrorSlot& operator=(const ErrorSlot&) = delete;
  ~ErrorSlot() {
    if (error_.release != nullptr) error_.release(&error_);
  }

  AdbcError* out() { return &error_; }
  [[nodiscard]] Outcome<void> outcome(AdbcStatusCode status) const {
    if (status == ADBC_STATUS_OK) return {};
    return std::unexpected(Failure{status, error_.message == nullptr ? "" : error_.message});
  }

 private:
  AdbcError error_ = ADBC_ERROR_INIT;
};

// A structure of the Arrow C interfaces that is released with the object.
template <class T>
class Owned {
 public:
  Owned() = default;
  Owned(Owned&& other) noexcept : value_(std::exchange(other.value_, T{})) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() {
    if (value_.release != nullptr) value_.release(&value_);
  }

  T* out() { return &value_; }
  T* operator->() { return &value_; }
  const T& operator*() const { return value_; }
  [[nodiscard]] bool is_released() const { return value_.release == nullptr; }

 private:
  T value_{};
};

using Schema = Owned<ArrowSchema>;
using Array = Owned<ArrowArray>;
using Stream = Owned<ArrowArrayStream>;

// Where drivers are looked for: TACIT_DRIVERS; else beside the installed program or library; else
// where scripts/drivers put them for the build.
std::vector<std::filesystem::path> driver_folders();
// The file of a driver such as "libduckdb.so".
Result<std::filesystem::path> find_driver(std::string_view library);

// A driver's functions. Its library stays loaded for the life of the program: engines keep threads
// that outlive their last connection.
class Driver {
 public:
  // `library` is a file name such as "libduckdb.so"; `entry` the symbol that fills the functions.
  static Result<std::shared_ptr<Driver>> load(std::string_view library, const char* entry);

  Driver() = default;
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;
  ~Driver();

  [[nodiscard]] const AdbcDriver& functions() const { return functions_; }

 private:
  AdbcDriver functions_{};
};

using Options = std::vector<std::pair<std::string, std::string>>;

// A session with an engine, with autocommit. Its address is its identity: not to be moved.
class Connection {
 public:
  static Outcome<std::unique_ptr<Connection>> open(std::shared_ptr<Driver> driver,
                                                   const Options& options);

  explicit Connection(std::shared_ptr<Driver> driver) : driver_(std::move(driver)) {}
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();

  [[nodiscard]] const AdbcDriver& functions() const { return driver_->functions(); }
  AdbcConnection* get() { return &connection_; }

 private:
  Outcome<void> begin(const Options& options);

  std::shared_ptr<Driver> driver_;
  AdbcDatabase database_{};
  AdbcConnection connection_{};
};

// One statement of a connection, which must outlive it.
class Statement {
 public:
  static Outcome<std::unique_ptr<Statement>> make(Connection& connection);

  explicit Statement(Connection& connection) : connection_(connection) {}
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement();

  Outcome<Stream> query(const std::string& sql);
  Outcome<void> execute(const std::string& sql);
  // Makes a table of what the stream gives.
  Outcome<void> ingest(const std::string& table_name, Stream rows);

  // From any thread. False where the driver has no way to do it.
  bool cancel();

 private:
  Outcome<void> set_sql(const std::string& sql);
  [[nodiscard]] const AdbcDriver& functions() const { return connection_.functions(); }

  Connection& connection_;
  AdbcStatement statement_{};
};

}  // namespace tacit::adbc

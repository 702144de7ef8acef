#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <system_error>

#include "tacit/data/adbc_driver_internal.h"

namespace tacit::adbc {
namespace {

namespace fs = std::filesystem;

// The file that this code is part of: the program, or a library that a program loaded.
fs::path own_file() {
  std::error_code error;
  Dl_info info{};
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): dladdr takes an address.
  if (::dladdr(reinterpret_cast<const void*>(&driver_folders), &info) != 0 &&
      info.dli_fname != nullptr && fs::path(info.dli_fname).is_absolute()) {
    return fs::weakly_canonical(info.dli_fname, error);
  }
  return fs::read_symlink("/proc/self/exe", error);
}

}  // namespace

std::vector<fs::path> driver_folders() {
  if (const char* const named = std::getenv("TACIT_DRIVERS"); named != nullptr && *named != '\0') {
    return {named};
  }
  const fs::path here = own_file().parent_path();
  return {(here / "../lib/tacit/drivers").lexically_normal(), here / "tacit/drivers",
          here / "drivers", TACIT_BUILT_DRIVERS};
}

Result<fs::path> find_driver(std::string_view library) {
  const std::vector<fs::path> folders = driver_folders();
  std::vector<std::string> shown;
  for (const fs::path& folder : folders) {
    std::error_code error;
    if (fs::exists(folder / library, error)) return folder / library;
    shown.push_back(folder.string());
  }
  return world_failed(
      fmt::format("the driver {} is not installed; looked in {}", library, fmt::join(shown, ", ")),
      {}, "run scripts/drivers, or set TACIT_DRIVERS to the folder that holds it");
}

Result<std::shared_ptr<Driver>> Driver::load(std::string_view library, const char* entry) {
  TACIT_ASSIGN_OR_RETURN(const fs::path file, find_driver(library));
  // Functions are looked up as they are called: of tens of thousands few are.
  void* const handle = ::dlopen(file.c_str(), RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
  if (handle == nullptr) {
    return world_failed(fmt::format("the driver cannot be loaded: {}", ::dlerror()), file.string(),
                        "run scripts/drivers again");
  }
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): dlsym gives an untyped address.
  const auto initialize = reinterpret_cast<AdbcDriverInitFunc>(::dlsym(handle, entry));
  auto driver = std::make_shared<Driver>();
  ErrorSlot error;
  if (initialize == nullptr ||
      initialize(ADBC_VERSION_1_1_0, &driver->functions_, error.out()) != ADBC_STATUS_OK) {
    return world_failed("this library is no ADBC driver of version 1.1", file.string(),
                        "run scripts/drivers again");
  }
  return driver;
}

Driver::~Driver() {
  ErrorSlot error;
  if (functions_.release != nullptr) functions_.release(&functions_, error.out());
}

Outcome<std::unique_ptr<Connection>> Connection::open(std::shared_ptr<Driver> driver,
                                                      const Options& options) {
  auto connection = std::make_unique<Connection>(std::move(driver));
  if (auto begun = connection->begin(options); !begun) return std::unexpected(begun.error());
  return connection;
}

Outcome<void> Connection::begin(const Options& options) {
  const AdbcDriver& f = functions();
  ErrorSlot error;
  AdbcStatusCode status = f.DatabaseNew(&database_, error.out());
  for (const auto& [key, value] : options) {
    if (status != ADBC_STATUS_OK) break;
    status = f.DatabaseSetOption(&database_, key.c_str(), value.c_str(), error.out());
  }
  if (status == ADBC_STATUS_OK) status = f.DatabaseInit(&database_, error.out());
  if (status == ADBC_STATUS_OK) status = f.ConnectionNew(&connection_, error.out());
  if (status == ADBC_STATUS_OK) status = f.ConnectionInit(&connection_, &database_, error.out());
  return error.outcome(status);
}

Connection::~Connection() {
  const AdbcDriver& f = functions();
  ErrorSlot error;
  if (connection_.private_data != nullptr) f.ConnectionRelease(&connection_, error.out());
  if (database_.private_data != nullptr) f.DatabaseRelease(&database_, error.out());
}

Outcome<std::unique_ptr<Statement>> Statement::make(Connection& connection) {
  auto statement = std::make_unique<Statement>(connection);
  ErrorSlot error;
  const auto made = error.outcome(
      connection.functions().StatementNew(connection.get(), &statement->statement_, error.out()));
  if (!made) return std::unexpected(made.error());
  return statement;
}

Statement::~Statement() {
  ErrorSlot error;
  if (statement_.private_data != nullptr) functions().StatementRelease(&statement_, error.out());
}

Outcome<void> Statement::set_sql(const std::string& sql) {
  ErrorSlot error;
  return error.outcome(functions().StatementSetSqlQuery(&statement_, sql.c_str(), error.out()));
}

Outcome<Stream> Statement::query(const std::string& sql) {
  if (auto set = set_sql(sql); !set) return std::unexpected(set.error());
  Stream stream;
  ErrorSlot error;
  const auto done = error.outcome(
      functions().StatementExecuteQuery(&statement_, stream.out(), nullptr, error.out()));
  if (!done) return std::unexpected(done.error());
  return stream;
}

Outcome<void> Statement::execute(const std::string& sql) {
  if (auto set = set_sql(sql); !set) return set;
  ErrorSlot error;
  return error.outcome(
      functions().StatementExecuteQuery(&statement_, nullptr, nullptr, error.out()));
}

Outcome<void> Statement::ingest(const std::string& table_name, Stream rows) {
  const AdbcDriver& f = functions();
  ErrorSlot error;
  AdbcStatusCode status = f.StatementSetOption(&statement_, ADBC_INGEST_OPTION_TARGET_TABLE,
                                               table_name.c_str(), error.out());
  if (status == ADBC_STATUS_OK) {
    status = f.StatementBindStream(&statement_, rows.out(), error.out());
  }
  if (status == ADBC_STATUS_OK) {
    status = f.StatementExecuteQuery(&statement_, nullptr, nullptr, error.out());
  }
  return error.outcome(status);
}

bool Statement::cancel() {
  // Some drivers cancel by statement, some by connection; Spark's takes the latter without effect.
  const AdbcDriver& f = functions();
  ErrorSlot by_statement;
  if (f.StatementCancel != nullptr &&
      f.StatementCancel(&statement_, by_statement.out()) == ADBC_STATUS_OK) {
    return true;
  }
  ErrorSlot by_connection;
  return f.ConnectionCancel != nullptr &&
         f.ConnectionCancel(connection_.get(), by_connection.out()) == ADBC_STATUS_OK;
}

}  // namespace tacit::adbc

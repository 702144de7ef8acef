#pragma once

#include <cstdlib>
#include <string>

#include "tacit/data/adbc_driver_internal.h"

namespace tacit {

// The server that scripts/with-postgres started.
class PostgresServer {
 public:
  // Empty where there is none, and the test should be skipped.
  static std::string uri() {
    const char* const value = std::getenv("TACIT_TEST_POSTGRES");
    return value == nullptr ? "" : value;
  }

  // Runs a statement as the owner, on a session of its own.
  static bool execute(const std::string& sql) {
    auto driver = adbc::Driver::load("libadbc_driver_postgresql.so", "AdbcDriverPostgresqlInit");
    if (!driver) return false;
    auto connection = adbc::Connection::open(*std::move(driver), {{"uri", uri()}});
    if (!connection) return false;
    auto statement = adbc::Statement::make(**connection);
    return statement && (*statement)->execute(sql);
  }
};

}  // namespace tacit

#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <string>

#include "tacit/ledger/postgres/connection_internal.h"
#include "tacit/ledger/postgres/postgres_store.h"

namespace tacit {

// A schema of its own for one test, on the server that scripts/with-postgres started; gone with the
// object. Its tables are made by create_postgres_store.
class PostgresSchema {
 public:
  // The server's URI; empty where there is none, and the test should be skipped.
  static std::string uri() {
    const char* const value = std::getenv("TACIT_TEST_POSTGRES");
    return value == nullptr ? "" : value;
  }

  PostgresSchema() {
    static std::atomic<int> count = 0;
    options_.schema = "test_" + std::to_string(::getpid()) + "_" + std::to_string(++count);
  }
  PostgresSchema(const PostgresSchema&) = delete;
  PostgresSchema& operator=(const PostgresSchema&) = delete;
  ~PostgresSchema() {
    execute("SET client_min_messages = error; DROP SCHEMA IF EXISTS " + name() + " CASCADE");
  }

  [[nodiscard]] const std::string& name() const { return options_.schema; }
  [[nodiscard]] const PostgresOptions& options() const { return options_; }

  [[nodiscard]] Result<std::unique_ptr<Store>> create() const {
    return create_postgres_store(uri(), options_);
  }
  [[nodiscard]] Result<std::unique_ptr<Store>> open() const {
    return open_postgres_store(uri(), options_);
  }

  // Runs statements as the owner, on a session of their own.
  static Result<void> execute(const std::string& statements) {
    TACIT_ASSIGN_OR_RETURN(postgres::Connection connection, postgres::Connection::open(uri()));
    TACIT_RETURN_IF_ERROR(connection.execute_all(statements));
    return {};
  }

 private:
  PostgresOptions options_;
};

}  // namespace tacit

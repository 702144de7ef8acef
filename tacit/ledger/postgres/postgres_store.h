#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "tacit/base/error.h"
#include "tacit/ledger/store.h"

namespace tacit {

struct PostgresOptions {
  // The schema that holds the tables. One database may hold several ledgers, a schema each.
  std::string schema = "tacit";
};

// Names of schemas are 1 to 63 lower-case letters, digits and '_', and begin with a letter or '_'.
Result<void> check_schema_name(std::string_view name);

// Entries in a PostgreSQL database, shared by many machines.
//
// `uri` is anything libpq takes ("postgresql://tacit@db.example.org/tacit?sslmode=verify-full");
// what it leaves out (password, TLS files) comes from libpq's environment. Errors never repeat a
// password. A connection that was lost is made again at the next call; a transaction that was open
// on it is not.
//
// The server must run with fsync and full_page_writes on, or it is refused: a charge must survive a
// loss of power. Where a standby may take over by itself, list it in synchronous_standby_names, or
// the last charges can be lost with the primary.

// Makes the schema and its tables; the role becomes their owner. Refuses a schema that has them.
Result<std::unique_ptr<Store>> create_postgres_store(const std::string& uri,
                                                     const PostgresOptions& options = {});
// Opens tables that create_postgres_store made. A role with USAGE on the schema, SELECT on its
// tables and INSERT on `entries`, `checkpoints` and `releases` is enough. Refuses absent tables or
// those of a newer format (kBadInput).
Result<std::unique_ptr<Store>> open_postgres_store(const std::string& uri,
                                                   const PostgresOptions& options = {});

}  // namespace tacit

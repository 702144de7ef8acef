#include "tacit/data/server_session_internal.h"

namespace tacit::adbc {

ServerSession postgres_session(const std::string& uri) {
  return {
      .library = "libadbc_driver_postgresql.so",
      .entry = "AdbcDriverPostgresqlInit",
      .options = {{"uri", uri}},
      .settings =
          {
              "SET default_transaction_read_only = on",
              // Functions and operators are the server's own: one of the same name in a schema that
              // others may write to would run with our rights. Tables are named with their schema.
              "SET search_path = pg_catalog",
              // A backslash in a text is a backslash.
              "SET standard_conforming_strings = on",
              "SET DateStyle = ISO",
              "SET TimeZone = 'UTC'",
              // A real is written with all its digits.
              "SET extra_float_digits = 1",
              // A warning could tell of a row.
              "SET client_min_messages = error",
          },
      .place = "postgresql",
      .remedy = "check the address, PGPASSWORD and the server",
  };
}

}  // namespace tacit::adbc

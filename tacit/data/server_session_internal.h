#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tacit/data/adbc_driver_internal.h"

namespace tacit::adbc {

// How a session with a server is opened, as often as one is needed, and what is set in it before
// the first query: what the dialect takes for granted, whatever the server's defaults are.
struct ServerSession {
  std::string library;
  std::string entry;
  Options options;
  std::vector<std::string> settings;
  // Of the error where no session can be had.
  std::string place;
  std::string remedy;
};

// TLS and all else that libpq knows goes by the URI; passwords by PGPASSWORD or PGPASSFILE.
ServerSession postgres_session(const std::string& uri);
// "spark://host:15002", with Spark Connect's own parameters behind it ("/;use_ssl=true"); a bearer
// token by TACIT_SPARK_TOKEN.
ServerSession spark_session(const std::string& uri);

// A session is opened before any row is read, so the error shows what the driver says.
Result<std::unique_ptr<Connection>> open_session(const ServerSession& session);

// Whether the server still answers.
bool is_alive(Connection& connection);

}  // namespace tacit::adbc

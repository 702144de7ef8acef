#include <fmt/format.h>

#include "tacit/data/server_session_internal.h"

namespace tacit::adbc {
namespace {

Outcome<void> apply(Connection& connection, const std::string& setting) {
  auto statement = Statement::make(connection);
  if (!statement) return std::unexpected(statement.error());
  return (*statement)->execute(setting);
}

}  // namespace

Result<std::unique_ptr<Connection>> open_session(const ServerSession& session) {
  const auto refused = [&session](const Failure& failure) {
    return world_failed(fmt::format("cannot be opened: {}", failure.text), session.place,
                        session.remedy);
  };
  TACIT_ASSIGN_OR_RETURN(auto driver, Driver::load(session.library, session.entry.c_str()));
  auto connection = Connection::open(std::move(driver), session.options);
  if (!connection) return refused(connection.error());
  for (const std::string& setting : session.settings) {
    if (const auto applied = apply(**connection, setting); !applied) {
      return refused(applied.error());
    }
  }
  return *std::move(connection);
}

bool is_alive(Connection& connection) { return apply(connection, "SELECT 1").has_value(); }

}  // namespace tacit::adbc

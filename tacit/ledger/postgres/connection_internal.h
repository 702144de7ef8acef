#pragma once

#include <libpq-fe.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tacit/base/error.h"

namespace tacit::postgres {

// The rows a statement gave, in PostgreSQL's binary form.
class Rows {
 public:
  explicit Rows(PGresult* result) : result_(result, PQclear) {}

  [[nodiscard]] int size() const { return PQntuples(result_.get()); }
  // The bytes of a field; nothing where it is null.
  [[nodiscard]] std::optional<std::string_view> bytes(int row, int column) const;
  // An int8 field; nothing where it is null or of another size.
  [[nodiscard]] std::optional<std::int64_t> integer(int row, int column) const;
  // What the server says it did: "COMMIT", "INSERT 0 3".
  [[nodiscard]] std::string_view tag() const { return PQcmdStatus(result_.get()); }

 private:
  std::unique_ptr<PGresult, decltype(&PQclear)> result_;
};

// A parameter of a statement, in binary form. Owns its bytes.
class Parameter {
 public:
  static Parameter integer(std::int64_t value);
  static Parameter bytes(std::string_view value);
  static Parameter null() { return {}; }

  [[nodiscard]] const char* data() const { return value_ ? value_->data() : nullptr; }
  [[nodiscard]] int size() const { return value_ ? static_cast<int>(value_->size()) : 0; }

 private:
  std::optional<std::string> value_;
};

// One session with a server. Not safe for use from two threads at once.
class Connection {
 public:
  // Connects. The error names the server, never the password.
  static Result<Connection> open(const std::string& uri);

  // Runs one statement with parameters $1, $2, ...
  Result<Rows> execute(const std::string& statement, std::span<const Parameter> parameters = {});
  // Runs several statements without parameters, in one trip; stops at the first that fails.
  // Gives the rows of the last.
  Result<Rows> execute_all(const std::string& statements);

  // Ends the open transaction without a trace. Where that fails, the session is lost or not idle.
  void roll_back();

  // True where the session is gone. A session seldom notices before its next statement.
  [[nodiscard]] bool lost() const { return PQstatus(connection_.get()) != CONNECTION_OK; }
  // True where no transaction is open.
  [[nodiscard]] bool idle() const { return PQtransactionStatus(connection_.get()) == PQTRANS_IDLE; }
  // True where the last statement was carried out with a warning.
  [[nodiscard]] bool warned() const { return *warned_; }
  // The SQLSTATE of the last statement, where it failed and the server said why.
  [[nodiscard]] const std::string& state() const { return state_; }
  // A name, quoted for use in a statement.
  [[nodiscard]] Result<std::string> quoted(const std::string& name) const;
  // "postgresql://tacit@db.example.org:5432/tacit"
  [[nodiscard]] const std::string& place() const { return place_; }

 private:
  explicit Connection(PGconn* connection);

  Result<Rows> finish(PGresult* result);
  [[nodiscard]] Error failure(const PGresult* result) const;

  std::unique_ptr<PGconn, decltype(&PQfinish)> connection_;
  std::unique_ptr<bool> warned_;  // libpq keeps its address
  std::string place_;
  std::string state_;
};

// What libpq makes of a URI (or of "key=value" pairs), without asking the environment; null where
// it cannot read it. libpq's own words are dropped: they may repeat a password.
using ConnectionOptions = std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)>;
ConnectionOptions parse_uri(const std::string& uri);
// True where libpq marks the option as one that a screen should hide.
bool is_secret(const PQconninfoOption& option);

}  // namespace tacit::postgres

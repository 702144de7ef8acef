#include <fmt/format.h>

#include <array>
#include <cstring>

#include "tacit/ledger/postgres/connection_internal.h"

namespace tacit::postgres {
namespace {

// A peer that went away without a word is noticed within a minute; a caller, and every writer
// behind it, waits no longer than that.
constexpr std::array<std::pair<const char*, const char*>, 6> kDefaults = {{
    {"connect_timeout", "10"},
    {"keepalives_idle", "20"},
    {"keepalives_interval", "10"},
    {"keepalives_count", "3"},
    {"tcp_user_timeout", "60000"},
    {"fallback_application_name", "tacit"},
}};

constexpr std::string_view kLockNotAvailable = "55P03";

constexpr const char* kUnreadable = "this is not a PostgreSQL URI that libpq can read";
constexpr const char* kExample =
    "for example: postgresql://tacit@db.example.org/tacit?sslmode=verify-full; characters such as "
    "@ and / within a name are written %40 and %2F";

// A password with an unescaped '/' or '@' makes libpq take pieces of it for a port or a database,
// and name them in its errors. Such a URI is refused before libpq connects.
Result<void> check_uri(const std::string& uri) {
  const ConnectionOptions options = parse_uri(uri);
  if (!options) return bad_input(kUnreadable, {}, kExample);
  for (const PQconninfoOption* option = options.get(); option->keyword != nullptr; ++option) {
    if (option->val == nullptr) continue;
    const std::string_view key = option->keyword;
    const std::string_view value = option->val;
    const bool is_misread_port =
        key == "port" && value.find_first_not_of("0123456789,") != std::string_view::npos;
    const bool is_misread_name = (key == "dbname" || key == "host") && value.contains('@');
    if (is_misread_port || is_misread_name) return bad_input(kUnreadable, {}, kExample);
  }
  return {};
}

PGconn* connect(const std::string& uri) {
  std::vector<const char*> keywords;
  std::vector<const char*> values;
  // What the environment or a service file says goes before our defaults, the URI before both.
  const ConnectionOptions environment(PQconndefaults(), PQconninfoFree);
  for (const auto& [keyword, value] : kDefaults) {
    const PQconninfoOption* option = environment.get();
    while (option != nullptr && option->keyword != nullptr &&
           std::strcmp(option->keyword, keyword) != 0) {
      ++option;
    }
    if (option != nullptr && option->keyword != nullptr && option->val != nullptr) continue;
    keywords.push_back(keyword);
    values.push_back(value);
  }
  keywords.push_back("dbname");
  values.push_back(uri.c_str());
  keywords.push_back(nullptr);
  values.push_back(nullptr);
  return PQconnectdbParams(keywords.data(), values.data(), 1);
}

// Where the session is, put together from what is no secret.
std::string place_of(PGconn* connection) {
  const auto text = [](const char* value) { return std::string_view(value ? value : ""); };
  return fmt::format("postgresql://{}@{}:{}/{}", text(PQuser(connection)), text(PQhost(connection)),
                     text(PQport(connection)), text(PQdb(connection)));
}

std::string first_line(std::string_view text) {
  return std::string(text.substr(0, text.find('\n')));
}

void note_warning(void* warned, const PGresult* notice) {
  const char* const severity = PQresultErrorField(notice, PG_DIAG_SEVERITY_NONLOCALIZED);
  if (severity != nullptr && std::strcmp(severity, "WARNING") == 0) {
    *static_cast<bool*>(warned) = true;
  }
}

}  // namespace

ConnectionOptions parse_uri(const std::string& uri) {
  char* words = nullptr;
  PQconninfoOption* const options = PQconninfoParse(uri.c_str(), &words);
  PQfreemem(words);
  return {options, PQconninfoFree};
}

bool is_secret(const PQconninfoOption& option) {
  return option.dispchar != nullptr && option.dispchar[0] == '*';
}

std::optional<std::string_view> Rows::bytes(int row, int column) const {
  if (PQgetisnull(result_.get(), row, column) != 0) return std::nullopt;
  return std::string_view(PQgetvalue(result_.get(), row, column),
                          static_cast<std::size_t>(PQgetlength(result_.get(), row, column)));
}

std::optional<std::int64_t> Rows::integer(int row, int column) const {
  const auto field = bytes(row, column);
  if (!field || field->size() != sizeof(std::int64_t)) return std::nullopt;
  std::uint64_t value = 0;
  for (const char byte : *field) value = (value << 8U) | static_cast<unsigned char>(byte);
  return static_cast<std::int64_t>(value);
}

Parameter Parameter::integer(std::int64_t value) {
  std::string field(sizeof value, '\0');
  auto rest = static_cast<std::uint64_t>(value);
  for (auto byte = field.rbegin(); byte != field.rend(); ++byte, rest >>= 8U) {
    *byte = static_cast<char>(rest & 0xffU);
  }
  return bytes(field);
}

Parameter Parameter::bytes(std::string_view value) {
  Parameter result;
  result.value_ = std::string(value);
  return result;
}

Connection::Connection(PGconn* connection)
    : connection_(connection, PQfinish),
      warned_(std::make_unique<bool>(false)),
      place_(place_of(connection)) {
  PQsetNoticeReceiver(connection, note_warning, warned_.get());
}

Result<Connection> Connection::open(const std::string& uri) {
  TACIT_RETURN_IF_ERROR(check_uri(uri));
  PGconn* const handle = connect(uri);
  if (handle == nullptr) return world_failed("no memory for a connection", "PostgreSQL");
  Connection connection(handle);
  if (connection.lost()) {
    return world_failed(first_line(PQerrorMessage(handle)), connection.place_,
                        "is the server up, and are PGPASSWORD or PGPASSFILE and the TLS options "
                        "right?");
  }
  return connection;
}

Result<Rows> Connection::execute(const std::string& statement,
                                 std::span<const Parameter> parameters) {
  std::vector<const char*> values;
  std::vector<int> sizes;
  for (const Parameter& parameter : parameters) {
    values.push_back(parameter.data());
    sizes.push_back(parameter.size());
  }
  const std::vector<int> binary(parameters.size(), 1);
  *warned_ = false;
  return finish(PQexecParams(connection_.get(), statement.c_str(), static_cast<int>(values.size()),
                             nullptr, values.data(), sizes.data(), binary.data(), 1));
}

Result<Rows> Connection::execute_all(const std::string& statements) {
  *warned_ = false;
  return finish(PQexec(connection_.get(), statements.c_str()));
}

void Connection::roll_back() { PQclear(PQexec(connection_.get(), "ROLLBACK")); }

Result<Rows> Connection::finish(PGresult* result) {
  Rows rows(result);
  const ExecStatusType status = PQresultStatus(result);
  if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK) {
    state_.clear();
    return rows;
  }
  const char* const state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
  state_ = state == nullptr ? "" : state;
  return std::unexpected(failure(result));
}

Error Connection::failure(const PGresult* result) const {
  if (lost()) {
    return world_failed("the connection to the server was lost", place_, "try again").error();
  }
  if (state_ == kLockNotAvailable) {
    return world_failed("other writers kept the ledger locked for too long", place_, "try again")
        .error();
  }
  // The primary message names tables and roles; values would stand in the detail, which is left
  // out.
  const char* const words = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
  return world_failed(words == nullptr ? "the server gave no answer" : words, place_).error();
}

Result<std::string> Connection::quoted(const std::string& name) const {
  const std::unique_ptr<char, decltype(&PQfreemem)> text(
      PQescapeIdentifier(connection_.get(), name.c_str(), name.size()), PQfreemem);
  if (!text) return bad_input("this cannot be the name of a schema", place_);
  return std::string(text.get());
}

}  // namespace tacit::postgres

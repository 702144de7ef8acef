#include "tacit/ledger/postgres/postgres_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "tacit/ledger/postgres/connection_internal.h"

namespace tacit {
namespace {

using postgres::Connection;
using postgres::Parameter;
using postgres::Rows;

constexpr std::string_view kUndefinedTable = "42P01";
constexpr std::string_view kUndefinedSchema = "3F000";
constexpr std::string_view kDuplicateTable = "42P07";
constexpr std::string_view kDuplicateSchema = "42P06";
constexpr std::string_view kUniqueViolation = "23505";

// Rows of one INSERT; four parameters each, of which PostgreSQL takes 65 535.
constexpr std::size_t kRowsPerInsert = 1000;

// {0} is the schema, quoted; {1} the format. Entries can be added and read; the triggers refuse the
// rest to everyone, and a role that only holds SELECT and INSERT cannot drop the triggers.
constexpr const char* kCreate = R"(
CREATE SCHEMA IF NOT EXISTS {0};
CREATE TABLE {0}.store (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  format bigint NOT NULL
);
INSERT INTO {0}.store (format) VALUES ({1});
CREATE TABLE {0}.entries (
  sequence bigint PRIMARY KEY CHECK (sequence > 0),
  body bytea NOT NULL,
  digest bytea NOT NULL CHECK (pg_catalog.octet_length(digest) = 32),
  signature bytea CHECK (pg_catalog.octet_length(signature) = 64)
);
CREATE TABLE {0}.checkpoints (
  sequence bigint PRIMARY KEY CHECK (sequence > 0),
  body bytea NOT NULL,
  digest bytea NOT NULL CHECK (pg_catalog.octet_length(digest) = 32)
);
CREATE TABLE {0}.releases (
  dataset bytea NOT NULL,
  fingerprint bytea NOT NULL CHECK (pg_catalog.octet_length(fingerprint) = 32),
  sequence bigint NOT NULL CHECK (sequence > 0),
  body bytea NOT NULL,
  digest bytea NOT NULL CHECK (pg_catalog.octet_length(digest) = 32),
  PRIMARY KEY (dataset, fingerprint, sequence)
);
CREATE FUNCTION {0}.refuse_change() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN RAISE EXCEPTION 'a ledger is append-only: % of % is refused', TG_OP, TG_TABLE_NAME; END $$;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {0}.entries
  FOR EACH STATEMENT EXECUTE FUNCTION {0}.refuse_change();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {0}.checkpoints
  FOR EACH STATEMENT EXECUTE FUNCTION {0}.refuse_change();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {0}.releases
  FOR EACH STATEMENT EXECUTE FUNCTION {0}.refuse_change();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {0}.store
  FOR EACH STATEMENT EXECUTE FUNCTION {0}.refuse_change();
)";

// {0} is the schema, {1} the wait in milliseconds. Everything is local to the transaction, so that
// a connection pool may stand between.
//
// One writer at a time: an advisory lock on the table's identity, held until the transaction ends.
// It needs no right to change the table, unlike a row or table lock. At READ COMMITTED each
// statement sees what was committed before it began, and so all that earlier holders of the lock
// wrote; a transaction with one fixed snapshot could have taken it before it got the lock. The
// primary key would refuse a writer that ignored the lock.
//
// A client that stops while it holds the lock is thrown out by the server after the same wait.
constexpr const char* kBegin = R"(
BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;
SET LOCAL lock_timeout = {1};
SET LOCAL idle_in_transaction_session_timeout = {1};
SELECT pg_catalog.set_config('synchronous_commit', 'on', true)
  WHERE pg_catalog.current_setting('synchronous_commit') NOT IN ('on', 'remote_apply');
SELECT pg_catalog.pg_advisory_xact_lock((1413563209::bigint << 32) | '{0}.entries'::regclass::oid::bigint);
)";

constexpr const char* kUnknownOutcome =
    "it is not known whether the entries were made: nothing is granted, and a charge may have been "
    "entered";

Error no_ledger(const std::string& place) {
  return bad_input("there is no ledger in this schema of the database", place,
                   "make it with 'tacit init', or name the right database and schema")
      .error();
}

// The session, and how to get another when it is lost.
class Session {
 public:
  static Result<Session> open(const std::string& uri, const std::string& schema) {
    TACIT_RETURN_IF_ERROR(check_schema_name(schema));
    Session session(uri);
    TACIT_RETURN_IF_ERROR(session.connect());
    TACIT_ASSIGN_OR_RETURN(session.schema_, session.connection().quoted(schema));
    session.place_ = fmt::format("{} schema {}", session.connection().place(), schema);
    return session;
  }

  [[nodiscard]] Connection& connection() { return *connection_; }
  [[nodiscard]] const std::string& schema() const { return schema_; }
  [[nodiscard]] const std::string& place() const { return place_; }

  // A session without a transaction; the old one where it still lives.
  Result<void> refresh() {
    if (connection_ && !connection_->lost() && connection_->idle()) return {};
    return connect();
  }

  // Runs what changes nothing when done twice; once more, on a new session, if the old turns out to
  // be lost.
  template <class Action>
  auto retrying(Action action) -> decltype(action()) {
    TACIT_RETURN_IF_ERROR(refresh());
    auto result = action();
    if (result || !connection_->lost()) return result;
    TACIT_RETURN_IF_ERROR(connect());
    return action();
  }

 private:
  explicit Session(std::string uri) : uri_(std::move(uri)) {}

  // A commit must be on disk when the server says so; a server that runs without is refused.
  Result<void> connect() {
    TACIT_ASSIGN_OR_RETURN(Connection fresh, Connection::open(uri_));
    TACIT_ASSIGN_OR_RETURN(const Rows rows,
                           fresh.execute("SELECT pg_catalog.current_setting('fsync') = 'on' AND "
                                         "pg_catalog.current_setting('full_page_writes') = 'on'"));
    if (rows.bytes(0, 0) != std::string_view("\1", 1)) {
      return world_failed(
          "this server runs without fsync or full_page_writes: a loss of power "
          "would lose charges",
          fresh.place(), "turn both on in postgresql.conf");
    }
    connection_ = std::make_unique<Connection>(std::move(fresh));
    return {};
  }

  std::string uri_;
  std::unique_ptr<Connection> connection_;
  std::string schema_;
  std::string place_;
};

// Fails where a row is not what was once written.
Result<StoredEntry> entry_of(const Rows& rows, int row, const std::string& place) {
  const auto sequence = rows.integer(row, 0);
  const auto body = rows.bytes(row, 1);
  const auto digest = rows.bytes(row, 2);
  const auto signature = rows.bytes(row, 3);
  StoredEntry entry;
  if (!sequence || !body || !digest || digest->size() != entry.digest.bytes.size()) {
    return world_failed("a row of the ledger's table is damaged", place);
  }
  entry.sequence = static_cast<std::uint64_t>(*sequence);
  entry.body = *body;
  std::ranges::copy(*digest, entry.digest.bytes.begin());
  if (signature) {
    entry.signature.emplace();
    if (signature->size() != entry.signature->bytes.size()) {
      return world_failed(fmt::format("the signature of entry {} is damaged", *sequence), place);
    }
    std::ranges::copy(*signature, entry.signature->bytes.begin());
  }
  return entry;
}

Result<Head> read_head(Session& session) {
  TACIT_ASSIGN_OR_RETURN(const Rows rows,
                         session.connection().execute(
                             fmt::format("SELECT sequence, body, digest, signature FROM {}.entries "
                                         "ORDER BY sequence DESC LIMIT 1",
                                         session.schema())));
  if (rows.size() == 0) return Head{};
  TACIT_ASSIGN_OR_RETURN(const StoredEntry last, entry_of(rows, 0, session.place()));
  return Head{.sequence = last.sequence, .digest = last.digest};
}

Result<std::vector<StoredEntry>> read_entries(Session& session, std::uint64_t after,
                                              std::size_t limit) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  const std::vector<Parameter> parameters = {
      Parameter::integer(static_cast<std::int64_t>(std::min(after, kMost))),
      Parameter::integer(static_cast<std::int64_t>(std::min<std::uint64_t>(limit, kMost)))};
  TACIT_ASSIGN_OR_RETURN(
      const Rows rows,
      session.connection().execute(
          fmt::format("SELECT sequence, body, digest, signature FROM {}.entries "
                      "WHERE sequence > $1::bigint ORDER BY sequence LIMIT $2::bigint",
                      session.schema()),
          parameters));
  std::vector<StoredEntry> entries;
  entries.reserve(static_cast<std::size_t>(rows.size()));
  for (int row = 0; row < rows.size(); ++row) {
    TACIT_ASSIGN_OR_RETURN(StoredEntry entry, entry_of(rows, row, session.place()));
    entries.push_back(std::move(entry));
  }
  return entries;
}

std::string text_of(std::span<const std::uint8_t> bytes) { return {bytes.begin(), bytes.end()}; }

// The field of a row that holds a digest.
Result<Digest> digest_of(const Rows& rows, int row, int column, const std::string& place) {
  Digest digest;
  const auto bytes = rows.bytes(row, column);
  if (!bytes || bytes->size() != digest.bytes.size()) {
    return world_failed("a row of the ledger's table is damaged", place);
  }
  std::ranges::copy(*bytes, digest.bytes.begin());
  return digest;
}

Result<std::optional<StoredCheckpoint>> read_last_checkpoint(Session& session) {
  TACIT_ASSIGN_OR_RETURN(const Rows rows, session.connection().execute(fmt::format(
                                              "SELECT sequence, body, digest FROM {}.checkpoints "
                                              "ORDER BY sequence DESC LIMIT 1",
                                              session.schema())));
  if (rows.size() == 0) return std::nullopt;
  StoredCheckpoint checkpoint{
      .sequence = static_cast<std::uint64_t>(rows.integer(0, 0).value_or(0)),
      .body = std::string(rows.bytes(0, 1).value_or("")),
      .digest = {}};
  TACIT_ASSIGN_OR_RETURN(checkpoint.digest, digest_of(rows, 0, 2, session.place()));
  return checkpoint;
}

Result<std::optional<StoredRelease>> read_last_release(Session& session, const std::string& dataset,
                                                       const Digest& fingerprint) {
  const std::vector<Parameter> parameters = {Parameter::bytes(dataset),
                                             Parameter::bytes(text_of(fingerprint.bytes))};
  TACIT_ASSIGN_OR_RETURN(
      const Rows rows,
      session.connection().execute(
          fmt::format(
              "SELECT sequence, body, digest FROM {}.releases WHERE dataset = $1::bytea AND "
              "fingerprint = $2::bytea ORDER BY sequence DESC LIMIT 1",
              session.schema()),
          parameters));
  if (rows.size() == 0) return std::nullopt;
  StoredRelease release{.sequence = static_cast<std::uint64_t>(rows.integer(0, 0).value_or(0)),
                        .dataset = dataset,
                        .fingerprint = fingerprint,
                        .body = std::string(rows.bytes(0, 1).value_or("")),
                        .digest = {}};
  TACIT_ASSIGN_OR_RETURN(release.digest, digest_of(rows, 0, 2, session.place()));
  return release;
}

class PostgresTransaction final : public Store::Transaction {
 public:
  explicit PostgresTransaction(Session& session) : session_(session) {}

  ~PostgresTransaction() override {
    // Where it fails, the next begin() replaces the session.
    if (!ended_ && !session_.connection().lost()) session_.connection().roll_back();
  }
  PostgresTransaction(const PostgresTransaction&) = delete;
  PostgresTransaction& operator=(const PostgresTransaction&) = delete;

  Result<Head> head() override { return read_head(session_); }

  Result<std::vector<StoredEntry>> read(std::uint64_t after, std::size_t limit) override {
    return read_entries(session_, after, limit);
  }

  Result<void> append(std::span<const StoredEntry> entries) override {
    TACIT_ASSIGN_OR_RETURN(Head last, head());
    for (const StoredEntry& entry : entries) {
      if (entry.sequence != ++last.sequence) {
        return bad_input(
            fmt::format("entry {} cannot follow entry {}", entry.sequence, last.sequence - 1),
            session_.place());
      }
    }
    for (; !entries.empty(); entries = entries.subspan(std::min(entries.size(), kRowsPerInsert))) {
      TACIT_RETURN_IF_ERROR(insert(entries.first(std::min(entries.size(), kRowsPerInsert))));
    }
    return {};
  }

  Result<void> append(const StoredCheckpoint& checkpoint) override {
    const std::vector<Parameter> parameters = {
        Parameter::integer(static_cast<std::int64_t>(checkpoint.sequence)),
        Parameter::bytes(checkpoint.body), Parameter::bytes(text_of(checkpoint.digest.bytes))};
    TACIT_RETURN_IF_ERROR(session_.connection().execute(
        fmt::format("INSERT INTO {}.checkpoints (sequence, body, digest) "
                    "VALUES ($1::bigint, $2::bytea, $3::bytea)",
                    session_.schema()),
        parameters));
    return {};
  }

  Result<void> append(const StoredRelease& release) override {
    const std::vector<Parameter> parameters = {
        Parameter::bytes(release.dataset), Parameter::bytes(text_of(release.fingerprint.bytes)),
        Parameter::integer(static_cast<std::int64_t>(release.sequence)),
        Parameter::bytes(release.body), Parameter::bytes(text_of(release.digest.bytes))};
    TACIT_RETURN_IF_ERROR(session_.connection().execute(
        fmt::format("INSERT INTO {}.releases (dataset, fingerprint, sequence, body, digest) "
                    "VALUES ($1::bytea, $2::bytea, $3::bigint, $4::bytea, $5::bytea)",
                    session_.schema()),
        parameters));
    return {};
  }

  Result<std::optional<StoredCheckpoint>> last_checkpoint() override {
    return read_last_checkpoint(session_);
  }

  Result<void> commit() override {
    ended_ = true;
    Connection& connection = session_.connection();
    const auto done = connection.execute_all("COMMIT");
    // COMMIT of a transaction that failed earlier is carried out as a ROLLBACK. A warning tells of
    // a commit that a synchronous standby did not confirm.
    if (done && done->tag() == "COMMIT" && !connection.warned()) return {};
    const std::string reason = !done                 ? done.error().what
                               : connection.warned() ? "a standby did not confirm the commit"
                                                     : "the server rolled the transaction back";
    return world_failed(fmt::format("{}; {}", reason, kUnknownOutcome), session_.place(),
                        "see 'tacit ledger history' before asking again; what was charged stays "
                        "charged");
  }

 private:
  Result<void> insert(std::span<const StoredEntry> entries) {
    std::string statement = fmt::format(
        "INSERT INTO {}.entries (sequence, body, digest, signature) VALUES ", session_.schema());
    std::vector<Parameter> parameters;
    for (const StoredEntry& entry : entries) {
      const std::size_t n = parameters.size();
      statement += fmt::format("{}(${}::bigint, ${}::bytea, ${}::bytea, ${}::bytea)",
                               n == 0 ? "" : ", ", n + 1, n + 2, n + 3, n + 4);
      parameters.push_back(Parameter::integer(static_cast<std::int64_t>(entry.sequence)));
      parameters.push_back(Parameter::bytes(entry.body));
      parameters.push_back(Parameter::bytes(text_of(entry.digest.bytes)));
      parameters.push_back(entry.signature ? Parameter::bytes(text_of(entry.signature->bytes))
                                           : Parameter::null());
    }
    TACIT_RETURN_IF_ERROR(session_.connection().execute(statement, parameters));
    return {};
  }

  Session& session_;
  bool ended_ = false;
};

class PostgresStore final : public Store {
 public:
  explicit PostgresStore(Session session) : session_(std::move(session)) {}

  Result<std::unique_ptr<Transaction>> begin() override {
    const std::string statements = fmt::format(kBegin, session_.schema(), kWaitMilliseconds);
    const auto begun =
        session_.retrying([&] { return session_.connection().execute_all(statements); });
    // What failed within the transaction leaves it open; its destructor ends it.
    auto transaction = std::make_unique<PostgresTransaction>(session_);
    if (!begun) return std::unexpected(begun.error());
    return transaction;
  }

  Result<Head> head() override {
    return session_.retrying([&] { return read_head(session_); });
  }

  Result<std::vector<StoredEntry>> read(std::uint64_t after, std::size_t limit) override {
    return session_.retrying([&] { return read_entries(session_, after, limit); });
  }

  Result<std::optional<StoredCheckpoint>> last_checkpoint() override {
    return session_.retrying([&] { return read_last_checkpoint(session_); });
  }

  Result<std::optional<StoredRelease>> last_release(const std::string& dataset,
                                                    const Digest& fingerprint) override {
    return session_.retrying([&] { return read_last_release(session_, dataset, fingerprint); });
  }

  // A server looks after its own pages.
  Result<void> check_whole() override { return {}; }

  [[nodiscard]] std::string place() const override { return session_.place(); }

 private:
  Session session_;
};

Result<void> check_format(Session& session) {
  const auto rows =
      session.connection().execute(fmt::format("SELECT format FROM {}.store", session.schema()));
  if (!rows) {
    const std::string& state = session.connection().state();
    const bool is_absent = state == kUndefinedTable || state == kUndefinedSchema;
    return std::unexpected(is_absent ? no_ledger(session.place()) : rows.error());
  }
  const auto format = rows->size() == 1 ? rows->integer(0, 0) : std::nullopt;
  if (!format || *format < 1)
    return world_failed("the ledger's format is damaged", session.place());
  if (*format > Store::kFormat) {
    return bad_input(fmt::format("this ledger has format {}; this Tacit reads up to {}", *format,
                                 Store::kFormat),
                     session.place(), "use a newer Tacit");
  }
  return {};
}

Result<void> create_tables(Session& session) {
  Connection& connection = session.connection();
  const std::string tables = fmt::format(kCreate, session.schema(), Store::kFormat);
  const auto created =
      connection.execute_all("BEGIN; SET LOCAL client_min_messages = error;" + tables + "COMMIT");
  if (created) return {};
  const std::string state = connection.state();
  connection.roll_back();
  if (state == kDuplicateTable || state == kDuplicateSchema || state == kUniqueViolation) {
    return bad_input("there is a ledger in this schema already", session.place(),
                     "open it, or name another schema; a ledger is never overwritten");
  }
  return std::unexpected(created.error());
}

}  // namespace

Result<void> check_schema_name(std::string_view name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; };
  constexpr std::size_t kLongest = 63;
  if (!name.empty() && name.size() <= kLongest && is_letter(name.front()) &&
      std::ranges::all_of(name, [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); })) {
    return {};
  }
  return bad_input("this cannot be the name of the ledger's schema", {},
                   "use 1 to 63 lower-case letters, digits and '_', beginning with a letter");
}

Result<std::unique_ptr<Store>> create_postgres_store(const std::string& uri,
                                                     const PostgresOptions& options) {
  TACIT_ASSIGN_OR_RETURN(Session session, Session::open(uri, options.schema));
  TACIT_RETURN_IF_ERROR(create_tables(session));
  return std::make_unique<PostgresStore>(std::move(session));
}

Result<std::unique_ptr<Store>> open_postgres_store(const std::string& uri,
                                                   const PostgresOptions& options) {
  TACIT_ASSIGN_OR_RETURN(Session session, Session::open(uri, options.schema));
  TACIT_RETURN_IF_ERROR(check_format(session));
  return std::make_unique<PostgresStore>(std::move(session));
}

}  // namespace tacit

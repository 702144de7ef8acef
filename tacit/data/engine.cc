#include "tacit/data/engine.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <system_error>
#include <type_traits>
#include <utility>

#include "tacit/data/adbc_driver_internal.h"
#include "tacit/data/arrow_reader_internal.h"
#include "tacit/data/arrow_writer_internal.h"
#include "tacit/data/server_session_internal.h"

namespace tacit {
namespace {

using adbc::Connection;
using adbc::Driver;
using adbc::Failure;
using adbc::Options;
using adbc::Outcome;
using adbc::ServerSession;
using adbc::Statement;

// A folder for what does not fit in memory, which only this user may enter; gone with the object.
class SpillFolder {
 public:
  SpillFolder() = default;
  explicit SpillFolder(std::filesystem::path path) : path_(std::move(path)) {}
  SpillFolder(SpillFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  SpillFolder& operator=(SpillFolder&& other) noexcept {
    std::swap(path_, other.path_);
    return *this;
  }
  SpillFolder(const SpillFolder&) = delete;
  SpillFolder& operator=(const SpillFolder&) = delete;
  ~SpillFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }

  static Result<SpillFolder> make() {
    std::error_code error;
    const auto parent = std::filesystem::temp_directory_path(error);
    std::string pattern = (parent / "tacit-spill-XXXXXX").string();
    if (error || ::mkdtemp(pattern.data()) == nullptr) {
      return world_failed("no temporary folder can be made", parent.string(),
                          "set TMPDIR to a folder that you may write to");
    }
    return SpillFolder(pattern);
  }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace

class Engine::State {
 public:
  using Open = std::function<Result<std::unique_ptr<Connection>>()>;

  // Opened when it is asked for the first time: that takes longer than some questions.
  State(Open open, const Dialect& dialect, SpillFolder spill)
      : spill_(std::move(spill)), open_(std::move(open)), dialect_(dialect) {}
  State(std::unique_ptr<Connection> connection, const Dialect& dialect, SpillFolder spill)
      : spill_(std::move(spill)), connection_(std::move(connection)), dialect_(dialect) {}
  State(std::unique_ptr<Connection> connection, const Dialect& dialect, ServerSession session)
      : connection_(std::move(connection)), dialect_(dialect), session_(std::move(session)) {}

  [[nodiscard]] const Dialect& dialect() const { return dialect_; }
  [[nodiscard]] const std::string& detail() const { return detail_; }

  // Runs `work` on a new statement, which cancel() can reach meanwhile.
  template <class Work, class Value = std::invoke_result_t<Work, Statement&>::value_type>
  Result<Value> run(const Work& work) {
    TACIT_RETURN_IF_ERROR(ensure_session());
    auto statement = Statement::make(*connection_);
    if (!statement) return fail(statement.error());
    {
      const std::scoped_lock lock(mutex_);
      running_ = statement->get();
      ++statements_;
    }
    auto outcome = work(**statement);
    const bool was_cancelled = end();
    if (!outcome) return fail(outcome.error(), was_cancelled);
    if constexpr (std::is_void_v<Value>) {
      return {};
    } else {
      return *std::move(outcome);
    }
  }

  // A driver forgets a request that comes before the engine has begun the query, so it is repeated
  // until the query has ended.
  void cancel() {
    constexpr auto kPatience = std::chrono::milliseconds(20);
    std::unique_lock lock(mutex_);
    // By its number: the next statement may lie at the same address.
    const std::uint64_t wanted = statements_;
    while (running_ != nullptr && statements_ == wanted) {
      was_cancelled_ = true;
      if (!running_->cancel()) return;
      ended_.wait_for(lock, kPatience);
    }
  }

  // After a failure the session may be gone, with its server or without: then there is a new one.
  Result<void> ensure_session() {
    if (!connection_) {
      auto connection = open_();
      if (!connection) {
        detail_ = connection.error().message();
        return std::unexpected(connection.error());
      }
      connection_ = *std::move(connection);
    }
    if (!session_ || !is_doubtful_) return {};
    if (!is_alive(*connection_)) {
      TACIT_ASSIGN_OR_RETURN(connection_, open_session(*session_));
    }
    is_doubtful_ = false;
    return {};
  }

 private:
  // Nothing runs any more, and what was cancelled is not the next query. A request that came when
  // the query was all but done may reach the server later, so such a session is looked at again.
  bool end() {
    bool was_cancelled = false;
    {
      const std::scoped_lock lock(mutex_);
      running_ = nullptr;
      was_cancelled = std::exchange(was_cancelled_, false);
    }
    ended_.notify_all();
    is_doubtful_ = is_doubtful_ || was_cancelled;
    return was_cancelled;
  }

  std::unexpected<Error> fail(const Failure& failure, bool was_cancelled = false) {
    detail_ = failure.text;
    is_doubtful_ = true;
    if (was_cancelled) return world_failed("the query was cancelled", std::string(dialect_.name()));
    return world_failed("the engine failed to answer", std::string(dialect_.name()),
                        "the steward can see why");
  }

  SpillFolder spill_;  // outlives the connection
  Open open_;
  std::unique_ptr<Connection> connection_;
  const Dialect& dialect_;
  std::optional<ServerSession> session_;  // of a server
  bool is_doubtful_ = false;
  std::string detail_;
  std::mutex mutex_;
  std::condition_variable ended_;
  Statement* running_ = nullptr;
  std::uint64_t statements_ = 0;
  bool was_cancelled_ = false;
};

namespace {

constexpr const char* kDuckdbLibrary = "libduckdb.so";

// What no engine of ours needs: code from elsewhere, and secrets kept by other programs.
Options hardened_duckdb(const std::string& path) {
  return {{"path", path},
          {"autoinstall_known_extensions", "false"},
          {"autoload_known_extensions", "false"},
          {"allow_community_extensions", "false"},
          {"allow_persistent_secrets", "false"},
          {"preserve_insertion_order", "false"}};
}

// A connection is made before any row is read, so what the driver says of it may be shown.
Result<std::unique_ptr<Connection>> connect(std::string_view library, const char* entry,
                                            const Options& options, const std::string& place,
                                            std::string remedy) {
  TACIT_ASSIGN_OR_RETURN(auto driver, Driver::load(library, entry));
  auto connection = Connection::open(std::move(driver), options);
  if (!connection) {
    return world_failed(fmt::format("cannot be opened: {}", connection.error().text), place,
                        std::move(remedy));
  }
  return *std::move(connection);
}

Result<std::unique_ptr<Connection>> connect_duckdb(const Options& options,
                                                   const std::string& place) {
  return connect(kDuckdbLibrary, "duckdb_adbc_init", options, place,
                 "check that it is a DuckDB database and that you may read it");
}

}  // namespace

Result<Engine> Engine::duckdb_in_memory(Files files) {
  TACIT_RETURN_IF_ERROR(adbc::find_driver(kDuckdbLibrary));
  Options options = hardened_duckdb(":memory:");
  SpillFolder spill;
  if (files == Files::kRefused) {
    options.emplace_back("temp_directory", "");
    // What is asked of it is small (texts, released rows), and dealing it out takes longer.
    options.emplace_back("threads", "1");
    options.emplace_back("enable_external_access", "false");
    options.emplace_back("lock_configuration", "true");
  } else {
    TACIT_ASSIGN_OR_RETURN(spill, SpillFolder::make());
    options.emplace_back("temp_directory", spill.path().string());
  }
  return Engine(std::make_unique<State>(
      [options = std::move(options)] { return connect_duckdb(options, "duckdb"); },
      duckdb_dialect(), std::move(spill)));
}

Result<Engine> Engine::duckdb(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::exists(file, error)) {
    return world_failed("there is no such database file", file.string());
  }
  Options options = hardened_duckdb(file.string());
  options.emplace_back("access_mode", "READ_ONLY");
  TACIT_ASSIGN_OR_RETURN(SpillFolder spill, SpillFolder::make());
  options.emplace_back("temp_directory", spill.path().string());
  TACIT_ASSIGN_OR_RETURN(auto connection, connect_duckdb(options, file.string()));
  return Engine(std::make_unique<State>(std::move(connection), duckdb_dialect(), std::move(spill)));
}

Result<Engine> Engine::postgres(const std::string& uri) {
  ServerSession session = adbc::postgres_session(uri);
  TACIT_ASSIGN_OR_RETURN(auto connection, open_session(session));
  Engine engine(
      std::make_unique<State>(std::move(connection), postgres_dialect(), std::move(session)));
  // Lengths, orders and texts are those of UTF-8 everywhere else.
  TACIT_ASSIGN_OR_RETURN(const Table encoding,
                         engine.query("SELECT current_setting('server_encoding')"));
  if (encoding.columns[0][0] == Cell(std::string("UTF8"))) return engine;
  return bad_input("this database does not keep its texts in UTF-8", "postgresql",
                   "convert it, or copy the tables to one with ENCODING 'UTF8'");
}

Result<Engine> Engine::spark(const std::string& uri) {
  ServerSession session = adbc::spark_session(uri);
  TACIT_ASSIGN_OR_RETURN(auto connection, open_session(session));
  return Engine(
      std::make_unique<State>(std::move(connection), spark_dialect(), std::move(session)));
}

Engine::Engine(std::unique_ptr<State> state) : state_(std::move(state)) {}
Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&&) noexcept = default;
Engine::~Engine() = default;

const Dialect& Engine::dialect() const { return state_->dialect(); }
const std::string& Engine::steward_detail() const { return state_->detail(); }
void Engine::cancel() { state_->cancel(); }
Result<void> Engine::reconnect() { return state_->ensure_session(); }

Result<Table> Engine::query(const std::string& sql) {
  return state_->run([&](Statement& statement) -> Outcome<Table> {
    auto stream = statement.query(sql);
    if (!stream) return std::unexpected(stream.error());
    return adbc::read_table(*std::move(stream));
  });
}

Result<IntegerColumns> Engine::query_integers(const std::string& sql) {
  return state_->run([&](Statement& statement) -> Outcome<IntegerColumns> {
    auto stream = statement.query(sql);
    if (!stream) return std::unexpected(stream.error());
    return adbc::read_integers(*std::move(stream));
  });
}

Result<void> Engine::each_integers(const std::string& sql,
                                   const std::function<void(const IntegerColumns&)>& take) {
  return state_->run([&](Statement& statement) -> Outcome<void> {
    auto stream = statement.query(sql);
    if (!stream) return std::unexpected(stream.error());
    return adbc::each_integers(*std::move(stream), take);
  });
}

Result<void> Engine::execute(const std::string& sql) {
  return state_->run([&](Statement& statement) { return statement.execute(sql); });
}

Result<void> Engine::load(const std::string& table_name, const Table& table) {
  return state_->run(
      [&](Statement& statement) { return statement.ingest(table_name, adbc::to_stream(table)); });
}

Result<void> Engine::copy(const std::string& sql, Engine& target, const std::string& table_name) {
  return state_->run([&](Statement& from) -> Outcome<void> {
    auto rows = from.query(sql);
    if (!rows) return std::unexpected(rows.error());
    const auto loaded = target.state_->run(
        [&](Statement& into) { return into.ingest(table_name, *std::move(rows)); });
    if (!loaded) return std::unexpected(Failure{.text = target.steward_detail()});
    return {};
  });
}

}  // namespace tacit

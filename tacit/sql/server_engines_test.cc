// Queries on servers, by the road that the command takes: a workspace that names the engine, its
// schema, the plan, the ledger, the engine. Without noise the answers must be those of the plain
// query on the same rows in DuckDB.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <optional>
#include <set>

#include "tacit/data/dataset.h"
#include "tacit/ledger/sqlite/sqlite_store.h"
#include "tacit/ledger/testing/scratch.h"
#include "tacit/sql/ask.h"
#include "tacit/sql/testing/without_noise.h"

namespace tacit::sql {
namespace {

using ::testing::HasSubstr;

// Ten visits of five people, who come in at most three months each.
constexpr std::string_view kVisits = R"(
(1, DATE '2026-01-05', TIMESTAMP '2026-01-05 08:15:30', 'A', 30, 12.50, 1.5, 'north', TRUE),
(1, DATE '2026-01-05', TIMESTAMP '2026-01-05 09:45:00', 'B', 10, 0.99, 2.25, 'south', FALSE),
(1, DATE '2026-02-28', TIMESTAMP '2026-02-28 23:59:59', 'A', 60, 50.00, 0.0, 'north', TRUE),
(2, DATE '2026-01-06', TIMESTAMP '2026-01-06 00:00:00', 'B', 0, 3.10, 9.75, 'south', NULL),
(2, DATE '2026-03-31', TIMESTAMP '2026-03-31 12:30:00', 'C', 100, 7.25, 3.125, 'north', FALSE),
(3, DATE '2026-04-01', TIMESTAMP '2026-04-01 13:00:01', 'C', 45, 20.00, 5.5, 'east\1', TRUE),
(3, DATE '2026-04-01', TIMESTAMP '2026-04-01 18:20:00', 'A', NULL, NULL, NULL, 'east\1', TRUE),
(4, DATE '2024-02-29', TIMESTAMP '2024-02-29 06:06:06', 'B', 5, 1.00, 1.0, 'east\1', FALSE),
(5, DATE '2025-12-31', TIMESTAMP '2025-12-31 23:00:00', 'A', 75, 33.33, 7.0, 'north', TRUE),
(NULL, DATE '2026-01-01', TIMESTAMP '2026-01-01 00:30:00', 'C', 20, 18.75, 4.5, 'north', FALSE))";

constexpr std::string_view kPeople = "(1, 34, 'A'), (2, 61, 'B'), (3, 19, 'A'), (4, 80, 'C')";
constexpr std::string_view kCities = "('A', 'west'), ('B', 'west'), ('C', 'east'), ('C', 'south')";
constexpr std::string_view kAnswers = "('A', 3), ('A', 5), ('B', 0), ('C', 6), (NULL, 1)";

struct Stored {
  std::string name;
  std::string columns;  // names and types, in words that all engines know
  std::string_view rows;
};

std::vector<Stored> stored_tables() {
  return {{"visits",
           "person BIGINT, day DATE, moment TIMESTAMP, city VARCHAR(9), minutes INT, price "
           "DECIMAL(9,2), weight REAL8, note VARCHAR(20), paid BOOLEAN",
           kVisits},
          {"people", "person BIGINT, age INT, home VARCHAR(9)", kPeople},
          {"cities", "city VARCHAR(9), region VARCHAR(9)", kCities},
          {"answers", "city VARCHAR(9), points INT", kAnswers}};
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
    text.replace(at, from.size(), to);
    at += to.size();
  }
  return text;
}

// The tables in a schema of their own on a server.
class Server {
 public:
  explicit Server(const std::string& name) : is_spark_(name == "spark") {
    const char* const uri = std::getenv(is_spark_ ? "TACIT_TEST_SPARK" : "TACIT_TEST_POSTGRES");
    if (uri != nullptr) uri_ = uri;
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server() {
    if (owner_) (void)execute(fmt::format("DROP SCHEMA {} CASCADE", schema_));
  }

  // Empty where there is no such server.
  [[nodiscard]] const std::string& uri() const { return uri_; }
  [[nodiscard]] const std::string& schema() const { return schema_; }

  bool execute(const std::string& sql) { return owner_->execute(sql).has_value(); }

  void fill() {
    auto opened = is_spark_ ? Engine::spark(uri_) : Engine::postgres(uri_);
    ASSERT_TRUE(opened) << opened.error().message();
    owner_.emplace(*std::move(opened));
    ASSERT_TRUE(is_spark_ || execute("SET default_transaction_read_only = off"));
    ASSERT_TRUE(execute("CREATE SCHEMA " + schema_));
    for (const Stored& table : stored_tables()) {
      ASSERT_TRUE(execute(
          fmt::format("CREATE TABLE {}.{} ({})", schema_, table.name,
                      replaced(table.columns, "REAL8", is_spark_ ? "DOUBLE" : "double precision"))))
          << owner_->steward_detail();
      // In Spark's texts a backslash is an escape.
      const std::string rows =
          is_spark_ ? replaced(std::string(table.rows), "\\", "\\\\") : std::string(table.rows);
      ASSERT_TRUE(execute(fmt::format("INSERT INTO {}.{} VALUES {}", schema_, table.name, rows)))
          << owner_->steward_detail();
    }
  }

 private:
  bool is_spark_;
  std::string uri_;
  std::string schema_ = fmt::format("shop_{}", ::getpid());
  std::optional<Engine> owner_;
};

// What the steward declares, with the place of the tables left open.
constexpr std::string_view kDeclared = R"toml(
[datasets.shop]
neighbours = "add_remove"
epsilon = 1000000
delta = 0.01
engine = "ENGINE"
max_groups = 3
max_rows = 10

[datasets.shop.tables.visits]
source = "SCHEMA.visits"
unit = "person"
[datasets.shop.tables.visits.columns]
person = "integer"
day = "date"
moment = "timestamp"
city = {type = "text", values = ["A", "B", "C"], nulls = false}
minutes = {type = "integer", min = 0, max = 100}
price = {type = "decimal(9,2)", min = 0, max = 50}
weight = {type = "real", min = 0, max = 10}
note = "text"
paid = "boolean"

[datasets.shop.tables.people]
source = "SCHEMA.people"
unit = "person"
columns = {person = "integer", age = {type = "integer", min = 0, max = 120}, home = {type = "text", values = ["A", "B", "C"], nulls = false}}

[datasets.shop.tables.cities]
source = "SCHEMA.cities"
public = true
columns = {city = "text", region = "text"}

[datasets.shop.tables.answers]
source = "SCHEMA.answers"
unit = "row"
columns = {city = {type = "text", values = ["A", "B", "C"], nulls = false}, points = {type = "integer", min = 0, max = 6}}
)toml";

std::vector<std::string> questions() {
  return {
      "SELECT count(*) AS n, count(minutes) AS m, sum(minutes) AS s, sum(price) AS p FROM visits",
      "SELECT city, count(*) AS n, sum(price) AS p, avg(price) AS a FROM visits GROUP BY city",
      "SELECT month(day) AS m, count(*) AS n FROM visits GROUP BY 1 HAVING count(*) > 0.5",
      "SELECT hour(moment) AS h, sum(minutes) AS s FROM visits WHERE hour(moment) IN (8, 12, 23) "
      "GROUP BY 1 HAVING count(*) > 0.5",
      "SELECT note, count(*) AS n FROM visits GROUP BY note",
      "SELECT count(DISTINCT note) AS n FROM visits",
      "SELECT sum(CASE WHEN paid THEN minutes ELSE 0 END) AS s FROM visits",
      "SELECT count(*) AS n FROM visits WHERE note = 'east\\1' OR upper(note) LIKE 'SO%_'",
      "SELECT count(*) AS n FROM visits WHERE price / (minutes - 11) > 0.1 AND weight < 8",
      "SELECT home, sum(minutes) AS s FROM visits JOIN people ON visits.person = people.person "
      "GROUP BY home",
      "SELECT region, sum(minutes) AS s FROM visits JOIN cities ON visits.city = cities.city "
      "GROUP BY region",
      "SELECT avg(LEAST(n, 9)) AS a FROM (SELECT person, count(*) AS n FROM visits GROUP BY "
      "person) AS u",
      "SELECT city, count(*) AS n, sum(points) AS s FROM answers WHERE city IS NOT NULL GROUP BY "
      "city",
      "SELECT region, count(*) AS n FROM answers JOIN cities ON answers.city = cities.city GROUP "
      "BY region",
  };
}

double number(const Cell& cell, const Type& type) {
  if (const auto* integer = std::get_if<int128>(&cell)) {
    return static_cast<double>(*integer) / std::pow(10, type.scale);
  }
  return std::get<double>(cell);
}

// Texts as they are, numbers of any type alike, to 9 digits.
std::string shown(const Cell& cell, const Type& type) {
  if (is_null(cell)) return "NULL";
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  return fmt::format("{:.9g}", number(cell, type));
}

using Rows = std::set<std::string>;

Rows rows_of(const Answer& answer) {
  Rows rows;
  for (std::size_t row = 0; row < answer.rows(); ++row) {
    std::string line;
    for (const AnswerColumn& column : answer.columns) {
      line += shown(column.values[row], column.field.type) + " | ";
    }
    rows.insert(line);
  }
  return rows;
}

Rows rows_of(const Table& table) {
  Rows rows;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    std::string line;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      line += shown(table.columns[i][row], table.fields[i].type) + " | ";
    }
    rows.insert(line);
  }
  return rows;
}

class ServerEngines : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (server_.uri().empty()) {
      GTEST_SKIP() << "no server: run under scripts/with-" << GetParam();
    }
    server_.fill();
    auto parsed =
        Workspace::parse(replaced(replaced(std::string(kDeclared), "ENGINE", server_.uri()),
                                  "SCHEMA", server_.schema()),
                         scratch_ / "tacit.toml");
    ASSERT_TRUE(parsed) << parsed.error().message();
    workspace_ = *std::move(parsed);
    auto schema = schema_of(workspace_, workspace_.datasets.front());
    ASSERT_TRUE(schema) << schema.error().message();
    schema_ = *std::move(schema);
    auto engine = open_engine(workspace_, workspace_.datasets.front());
    ASSERT_TRUE(engine) << engine.error().message();
    engine_.emplace(*std::move(engine));
    ASSERT_TRUE(embedded_ && reference_ && ledger_);
    ASSERT_TRUE(ledger_->create_dataset(
        {.dataset = "shop", .budget = *Budget::approximate(1'000'000, *Rational::parse("0.01"))}));
    for (const Stored& table : stored_tables()) {
      ASSERT_TRUE(reference_->execute(fmt::format("CREATE TABLE {} ({})", table.name,
                                                  replaced(table.columns, "REAL8", "DOUBLE"))));
      ASSERT_TRUE(
          reference_->execute(fmt::format("INSERT INTO {} VALUES {}", table.name, table.rows)));
    }
    ASSERT_TRUE(reference_->execute("DELETE FROM visits WHERE person IS NULL"));
  }

  // With an epsilon at which counts have no noise.
  Result<QueryPlan> plan(const std::string& text) {
    const PlanOptions options{.epsilon = Rational(1000), .delta = *Rational::parse("1e-6")};
    return prepare(text, schema_, options, *embedded_);
  }

  Result<Asked> ask(const std::string& text) {
    TACIT_ASSIGN_OR_RETURN(const QueryPlan planned, plan(text));
    return sql::ask(planned, {.account = {.dataset = "shop"}, .who = "ana", .note = text}, *ledger_,
                    *engine_, *embedded_);
  }

  Server server_{GetParam()};
  Scratch scratch_;
  Workspace workspace_;
  Schema schema_;
  std::optional<Engine> engine_;
  Result<Engine> embedded_ = Engine::duckdb_in_memory(Engine::Files::kRefused);
  Result<Engine> reference_ = Engine::duckdb_in_memory(Engine::Files::kRefused);
  Result<Ledger> ledger_ =
      Ledger::create(*create_sqlite_store(scratch_ / "ledger.sqlite"), "steward");
};

TEST_P(ServerEngines, AnswerAsThePlainQueryDoes) {
  for (const std::string& text : questions()) {
    SCOPED_TRACE(text);
    const auto planned = plan(text);
    ASSERT_TRUE(planned) << planned.error().message();
    const auto answer = testing::answer_without_noise(*planned, *engine_, *embedded_);
    EXPECT_TRUE(answer) << answer.error().message() << "\n" << engine_->steward_detail();
    const auto wanted = reference_->query(text);
    ASSERT_TRUE(wanted) << reference_->steward_detail();
    EXPECT_EQ(answer ? rows_of(*answer) : Rows(), rows_of(*wanted));
  }
}

// The charge is there before the engine fails, and stays; the next question is answered.
TEST_P(ServerEngines, ChargeAndAnswerOrFailWithOneFixedError) {
  const auto counted = ask("SELECT count(*) AS n FROM visits");
  ASSERT_TRUE(counted) << counted.error().message() << "\n" << engine_->steward_detail();
  EXPECT_EQ(counted->answer.columns[0].values, std::vector<Cell>{int128{9}});
  EXPECT_FALSE(counted->entry.empty());

  ASSERT_TRUE(server_.execute(fmt::format("DROP TABLE {}.answers", server_.schema())));
  const auto failed = ask("SELECT count(*) AS n FROM answers");
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().exit_status(), 3);
  EXPECT_THAT(failed.error().message(), HasSubstr("stays charged"));
  EXPECT_THAT(failed.error().message(), ::testing::Not(HasSubstr(server_.schema())));
  EXPECT_TRUE(ask("SELECT count(*) AS n FROM visits WHERE paid"));

  const auto reopened = open_engine(workspace_, workspace_.datasets.front());
  ASSERT_FALSE(reopened) << "a table is missing";
  EXPECT_THAT(reopened.error().message(), HasSubstr("no such table"));
}

INSTANTIATE_TEST_SUITE_P(Servers, ServerEngines, ::testing::Values("postgres", "spark"),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace tacit::sql

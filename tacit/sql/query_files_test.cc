// Runs tests/sql/*.test: the text of queries, and what must come back.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "tacit/sql/ask.h"
#include "tacit/sql/testing/plan_text.h"
#include "tacit/sql/testing/query_file.h"
#include "tacit/sql/testing/without_noise.h"
#include "tests/folders.h"

namespace tacit::sql {
namespace {

using testing::Expectation;
using testing::QueryCase;
using testing::QueryFile;
using testing::QueryFileReader;

// The engines that the same files run on. Servers are where these variables say.
struct EngineUnderTest {
  const char* name;
  const char* variable;  // its address; none for the embedded one
};

Result<Engine> open(const EngineUnderTest& engine) {
  if (engine.variable == nullptr) return Engine::duckdb_in_memory(Engine::Files::kRefused);
  const std::string address = std::getenv(engine.variable);
  return std::string_view(engine.name) == "spark" ? Engine::spark(address)
                                                  : Engine::postgres(address);
}

// The rows of a table as a subselect, so that nothing needs to be written into an engine.
std::string inline_rows(const TableSchema& table, const std::string& tuples,
                        const Dialect& dialect) {
  std::vector<std::string> columns;
  std::vector<std::string> names;
  for (const Column& column : table.columns) {
    names.push_back(fmt::format("v{}", names.size()));
    columns.push_back(fmt::format("CAST({} AS {}) AS {}", names.back(), dialect.type(column.type),
                                  dialect.identifier(column.name)));
  }
  return fmt::format("(SELECT {} FROM (VALUES {}) AS given({}))", fmt::join(columns, ", "), tuples,
                     fmt::join(names, ", "));
}

// The schema of a file whose sources are its rows, in the words of an engine.
Schema with_rows(const QueryFile& file, const Dialect& dialect) {
  Schema schema = file.schema;
  for (TableSchema& table : schema.tables) {
    const auto found =
        std::ranges::find(file.rows, table.name, [](const auto& given) { return given.first; });
    EXPECT_NE(found, file.rows.end()) << table.name << " has no rows";
    table.source = inline_rows(table, found->second, dialect);
  }
  return schema;
}

// A reference query may name the tables.
std::string with_tables(const Schema& schema, const std::string& reference) {
  std::vector<std::string> tables;
  for (const TableSchema& table : schema.tables) {
    tables.push_back(fmt::format("{} AS {}", table.name, table.source));
  }
  const bool has_own = reference.starts_with("WITH");
  return fmt::format(
      "WITH {} {}", fmt::join(tables, ", "),
      has_own ? fmt::format("SELECT * FROM ({}) AS reference", reference) : reference);
}

// A value as people write it; numbers of any type alike, to 9 digits.
std::string shown(const Cell& cell, const Type& type) {
  if (is_null(cell)) return "NULL";
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* truth = std::get_if<bool>(&cell)) return *truth ? "true" : "false";
  double number = 0;
  if (const auto* integer = std::get_if<int128>(&cell)) {
    number = static_cast<double>(*integer) / std::pow(10, type.scale);
    // An engine may give the begin of a day as a date or as a moment.
    if (type.kind == TypeKind::kDate) number *= 86'400e6;
  } else {
    number = std::get<double>(cell);
  }
  if (std::fabs(number) < 1e-9) number = 0;
  return fmt::format("{:.9g}", number);
}

using Rows = std::vector<std::vector<std::string>>;

Rows rows_of(const Answer& answer) {
  Rows rows(answer.rows());
  for (const AnswerColumn& column : answer.columns) {
    for (std::size_t r = 0; r < rows.size(); ++r) {
      rows[r].push_back(shown(column.values[r], column.field.type));
    }
  }
  return rows;
}

Rows rows_of(const Table& table) {
  Rows rows(table.rows());
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    for (std::size_t r = 0; r < rows.size(); ++r) {
      rows[r].push_back(shown(table.columns[c][r], table.fields[c].type));
    }
  }
  return rows;
}

std::string written(const Rows& rows) {
  std::string out;
  for (const auto& row : rows) out += fmt::format("  {}\n", fmt::join(row, " | "));
  return out;
}

class QueryFiles : public ::testing::TestWithParam<std::pair<EngineUnderTest, std::string>> {
 protected:
  void SetUp() override {
    const EngineUnderTest& under_test = GetParam().first;
    if (under_test.variable != nullptr && std::getenv(under_test.variable) == nullptr) {
      GTEST_SKIP() << under_test.variable << " does not say where a server is";
    }
    auto engine = open(under_test);
    ASSERT_TRUE(engine) << engine.error().message();
    engine_.emplace(*std::move(engine));
    for (std::optional<Engine>* own : {&embedded_, &reference_}) {
      auto duckdb = Engine::duckdb_in_memory(Engine::Files::kRefused);
      ASSERT_TRUE(duckdb) << duckdb.error().message();
      own->emplace(*std::move(duckdb));
    }
    file_ = QueryFileReader::read(GetParam().second);
    schema_ = with_rows(file_, engine_->dialect());
    reference_schema_ = with_rows(file_, duckdb_dialect());
  }

  void run(const QueryCase& test) {
    const auto plan = prepare(test.sql, schema_, test.options, *embedded_);
    const bool refusal = test.expected.front().kind == "refused";
    if (!plan) {
      if (refusal) return expect_text(test.expected.front(), one_line(plan.error().message()));
      FAIL() << "refused: " << plan.error().message();
    }
    ASSERT_FALSE(refusal) << "not refused; the plan: " << testing::plan_text(*plan);
    auto answer = testing::answer_without_noise(*plan, *engine_, *embedded_);
    ASSERT_TRUE(answer) << answer.error().message() << "\n" << engine_->steward_detail();
    for (const Expectation& expected : test.expected) check(test, expected, *plan, *answer);
  }

  void check(const QueryCase& test, const Expectation& expected, const QueryPlan& plan,
             const Answer& answer) {
    if (expected.kind == "same") return expect_rows(test.sql, answer, true);
    if (expected.kind == "exact") return expect_rows(expected.text, answer, true);
    if (expected.kind == "ordered") {
      return expect_rows(expected.text.empty() ? test.sql : expected.text, answer, false);
    }
    if (expected.kind == "plan") return expect_text(expected, testing::plan_text(plan));
    if (expected.kind == "learned") {
      const auto settled = testing::settled_without_noise(plan, *engine_);
      ASSERT_TRUE(settled) << settled.error().message();
      return expect_text(expected, testing::learned_text(*settled));
    }
    if (expected.kind == "cost") return expect_text(expected, plan.cost.to_text());
    if (expected.kind == "columns") {
      std::vector<std::string> names;
      for (const AnswerColumn& column : answer.columns) names.push_back(column.field.name);
      return expect_text(expected, fmt::format("{}", fmt::join(names, ", ")));
    }
    if (expected.kind == "intervals") {
      std::vector<std::string_view> kinds;
      for (const AnswerColumn& column : answer.columns) kinds.push_back(name(column.interval));
      return expect_text(expected, fmt::format("{}", fmt::join(kinds, ", ")));
    }
    FAIL() << "no such expectation: " << expected.kind;
  }

  void expect_rows(const std::string& reference, const Answer& answer, bool sorted) {
    const auto wanted = reference_->query(with_tables(reference_schema_, reference));
    ASSERT_TRUE(wanted) << "the reference fails: " << reference_->steward_detail();
    Rows left = rows_of(answer);
    Rows right = rows_of(*wanted);
    if (sorted) {
      std::ranges::sort(left);
      std::ranges::sort(right);
    }
    EXPECT_EQ(left, right) << "without noise:\n"
                           << written(left) << "reference:\n"
                           << written(right);
  }

  // "?" in a file asks for the text as it is, to be looked at before it is written there.
  void expect_text(const Expectation& expected, const std::string& actual) {
    EXPECT_EQ(expected.text, actual) << "line " << expected.line + 1;
    if (expected.text == "?") {
      fmt::print("@@{}\t{}\t= {} {}\n", file_.path.string(), expected.line, expected.kind, actual);
    }
  }

  static std::string one_line(std::string text) {
    if (const std::size_t line = text.find("\n  "); line != std::string::npos) {
      text.replace(line, 3, " // ");
    }
    return text;
  }

  std::optional<Engine> engine_;
  std::optional<Engine> embedded_;
  // Queries are written in DuckDB's SQL, so it is DuckDB that says what they mean.
  std::optional<Engine> reference_;
  QueryFile file_;
  Schema schema_;
  Schema reference_schema_;
};

TEST_P(QueryFiles, AnswerAndRefuseAsWritten) {
  for (const QueryCase& test : file_.cases) {
    SCOPED_TRACE(fmt::format("{}\n{}", test.name, test.sql));
    run(test);
  }
}

std::vector<std::pair<EngineUnderTest, std::string>> all_files() {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folders::source() / "tests/sql")) {
    if (entry.path().extension() == ".test") paths.push_back(entry.path().string());
  }
  std::ranges::sort(paths);
  std::vector<std::pair<EngineUnderTest, std::string>> out;
  for (const EngineUnderTest& engine :
       {EngineUnderTest{"duckdb", nullptr}, EngineUnderTest{"postgres", "TACIT_TEST_POSTGRES"},
        EngineUnderTest{"spark", "TACIT_TEST_SPARK"}}) {
    for (const std::string& path : paths) out.emplace_back(engine, path);
  }
  return out;
}

INSTANTIATE_TEST_SUITE_P(Tests, QueryFiles, ::testing::ValuesIn(all_files()), [](const auto& one) {
  return fmt::format("{}_{}", one.param.first.name,
                     std::filesystem::path(one.param.second).stem().string());
});

}  // namespace
}  // namespace tacit::sql

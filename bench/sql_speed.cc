#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tacit/data/dataset.h"
#include "tacit/privacy/testing/permit_for_tests.h"
#include "tacit/sql/aggregate_sql.h"
#include "tacit/sql/ask.h"
#include "tacit/sql/release_internal.h"

// Measures private SQL against the least that any answer for units needs, in one engine and
// process:
//   sql_speed WORKSPACE QUERIES ROUNDS [NAME...]
// where WORKSPACE is a folder with tacit.toml and QUERIES one with NAME.sql and NAME_floor.sql, the
// same query grouped by its keys and the unit. Prints one line a query:
//   NAME PLAN_MS NOISE_MS OURS_MS FLOOR_MS RATIO OURS_BYTES FLOOR_BYTES
// PLAN is text to plan, NOISE all that follows the engine's answer (reading it, selection, noise,
// the outer SELECT). Times are medians, RATIO the median of floor / ours over the rounds, in each
// of which one ran right after the other. Bytes are the peak of the engine's buffers.

namespace {

using Clock = std::chrono::steady_clock;
using tacit::Engine;
using tacit::Result;

std::string read_text(const std::filesystem::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

double milliseconds_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

double median(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
  return values[values.size() / 2];
}

// Every column of the rows is computed and none is shipped, which favours the floor.
std::string counted(std::string sql, std::size_t columns) {
  std::vector<std::string> names;
  std::vector<std::string> counts;
  for (std::size_t i = 0; i < columns; ++i) {
    names.push_back(fmt::format("c{}", i));
    counts.push_back(fmt::format("count(c{})", i));
  }
  sql.erase(sql.find_last_of(';'));
  return fmt::format("SELECT {} FROM ({}) AS floor_rows({})", fmt::join(counts, ", "), sql,
                     fmt::join(names, ", "));
}

Result<std::string> floor_statement(Engine& engine, const std::filesystem::path& file) {
  std::string sql = read_text(file);
  TACIT_ASSIGN_OR_RETURN(const tacit::Table columns, engine.query("DESCRIBE " + sql));
  return counted(std::move(sql), columns.rows());
}

Result<void> run_all(Engine& engine, const std::vector<std::string>& statements) {
  for (const std::string& sql : statements) TACIT_RETURN_IF_ERROR(engine.query(sql));
  return {};
}

// The most that an engine, opened for this alone, held in its buffers during one of the statements.
Result<std::uint64_t> peak_bytes(const std::filesystem::path& database,
                                 const std::vector<std::string>& statements) {
  const auto file = std::filesystem::temp_directory_path() / "tacit-sql-speed.json";
  std::uint64_t peak = 0;
  for (const std::string& sql : statements) {
    TACIT_ASSIGN_OR_RETURN(Engine engine, Engine::duckdb(database));
    TACIT_RETURN_IF_ERROR(engine.execute("SET enable_profiling = 'json'"));
    TACIT_RETURN_IF_ERROR(
        engine.execute(fmt::format("SET profiling_output = '{}'", file.string())));
    TACIT_RETURN_IF_ERROR(engine.query(sql));
    const auto profile = nlohmann::json::parse(read_text(file), nullptr, false);
    if (profile.is_object()) {
      peak = std::max(peak, profile.value("system_peak_buffer_memory", std::uint64_t{0}));
    }
  }
  std::filesystem::remove(file);
  return peak;
}

struct Bench {
  tacit::Schema schema;
  Engine engine;
  Engine embedded;
  tacit::SecureStream stream;
  std::filesystem::path database;
  std::filesystem::path queries;
  int rounds;
};

std::vector<std::string> measure_texts(const tacit::sql::QueryPlan& plan, Engine& engine) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < plan.aggregations.size(); ++i) {
    for (auto& statement : tacit::sql::measure_statements(
             plan.query.aggregations[i], plan.aggregations[i], engine.dialect(), "bench")) {
      out.push_back(std::move(statement.sql));
    }
  }
  return out;
}

// The engine's part alone, and all that follows it, in milliseconds.
Result<std::pair<double, double>> answer_once(const tacit::sql::QueryPlan& plan, Bench& bench) {
  tacit::Permit permit = tacit::PermitForTests::mint(plan.cost);
  std::vector<tacit::Table> released;
  double engine_ms = 0;
  double noise_ms = 0;
  for (std::size_t i = 0; i < plan.aggregations.size(); ++i) {
    auto begin = Clock::now();
    TACIT_ASSIGN_OR_RETURN(
        const auto exact, tacit::sql::exact_groups(plan.query.aggregations[i], plan.aggregations[i],
                                                   bench.engine, "bench"));
    engine_ms += milliseconds_since(begin);
    begin = Clock::now();
    TACIT_ASSIGN_OR_RETURN(
        auto table, tacit::sql::release_groups(plan.query.aggregations[i], plan.aggregations[i],
                                               plan.options.confidence, exact, bench.engine, permit,
                                               bench.stream));
    released.push_back(std::move(table));
    noise_ms += milliseconds_since(begin);
  }
  const auto begin = Clock::now();
  TACIT_RETURN_IF_ERROR(tacit::sql::finish(plan, released, bench.engine, bench.embedded));
  return std::pair(engine_ms, noise_ms + milliseconds_since(begin));
}

tacit::sql::PlanOptions options() {
  return {.epsilon = tacit::Rational(1), .delta = tacit::Rational::parse("1e-8").value()};
}

Result<void> measure(const std::string& name, Bench& bench) {
  const std::string text = read_text(bench.queries / (name + ".sql"));
  TACIT_ASSIGN_OR_RETURN(const std::string floor,
                         floor_statement(bench.engine, bench.queries / (name + "_floor.sql")));
  TACIT_ASSIGN_OR_RETURN(auto plan,
                         tacit::sql::prepare(text, bench.schema, options(), bench.embedded));
  const std::vector<std::string> ours = measure_texts(plan, bench.engine);
  TACIT_ASSIGN_OR_RETURN(const std::uint64_t our_bytes, peak_bytes(bench.database, ours));
  TACIT_ASSIGN_OR_RETURN(const std::uint64_t floor_bytes, peak_bytes(bench.database, {floor}));

  std::vector<double> planning;
  std::vector<double> noise;
  std::vector<double> our_times;
  std::vector<double> floor_times;
  std::vector<double> ratios;
  for (int round = 0; round < bench.rounds; ++round) {
    auto begin = Clock::now();
    TACIT_ASSIGN_OR_RETURN(plan,
                           tacit::sql::prepare(text, bench.schema, options(), bench.embedded));
    planning.push_back(milliseconds_since(begin));
    TACIT_ASSIGN_OR_RETURN(const auto parts, answer_once(plan, bench));
    our_times.push_back(parts.first);
    noise.push_back(parts.second);
    begin = Clock::now();
    TACIT_RETURN_IF_ERROR(run_all(bench.engine, {floor}));
    floor_times.push_back(milliseconds_since(begin));
    ratios.push_back(floor_times.back() / our_times.back());
  }
  fmt::print("{} {:.2f} {:.2f} {:.1f} {:.1f} {:.3f} {} {}\n", name, std::ranges::min(planning),
             std::ranges::min(noise), median(our_times), median(floor_times), median(ratios),
             our_bytes, floor_bytes);
  std::fflush(stdout);
  return {};
}

Result<void> measure_whole(const std::string& name, Bench& bench) {
  const std::string text = read_text(bench.queries / (name + ".sql"));
  std::vector<double> times;
  for (int round = 0; round < bench.rounds; ++round) {
    const auto begin = Clock::now();
    TACIT_ASSIGN_OR_RETURN(const auto plan,
                           tacit::sql::prepare(text, bench.schema, options(), bench.embedded));
    TACIT_RETURN_IF_ERROR(answer_once(plan, bench));
    times.push_back(milliseconds_since(begin));
  }
  fmt::print("{} {:.3f}\n", name, median(times));
  return {};
}

Result<void> run(bool whole, const std::vector<std::string>& arguments) {
  TACIT_ASSIGN_OR_RETURN(const tacit::Workspace workspace, tacit::Workspace::read(arguments[0]));
  const tacit::DeclaredDataset& dataset = workspace.datasets.front();
  TACIT_ASSIGN_OR_RETURN(tacit::Schema schema, tacit::schema_of(workspace, dataset));
  // Not by open_engine(), which locks the settings that tell how much memory was used.
  const std::filesystem::path database = workspace.folder / dataset.data.engine;
  TACIT_ASSIGN_OR_RETURN(Engine engine,
                         whole ? tacit::open_engine(workspace, dataset) : Engine::duckdb(database));
  TACIT_ASSIGN_OR_RETURN(Engine embedded, Engine::duckdb_in_memory(Engine::Files::kRefused));
  TACIT_ASSIGN_OR_RETURN(tacit::SecureStream stream, tacit::SecureStream::create());
  Bench bench{.schema = std::move(schema),
              .engine = std::move(engine),
              .embedded = std::move(embedded),
              .stream = std::move(stream),
              .database = database,
              .queries = arguments[1],
              .rounds = std::max(1, std::atoi(arguments[2].c_str()))};
  for (std::size_t i = 3; i < arguments.size(); ++i) {
    const auto done = whole ? measure_whole(arguments[i], bench) : measure(arguments[i], bench);
    if (!done) {
      fmt::print(stderr, "{}: {} {}\n", arguments[i], done.error().message(),
                 bench.engine.steward_detail());
      return std::unexpected(done.error());
    }
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  const bool whole = !arguments.empty() && arguments.front() == "--whole";
  if (whole) arguments.erase(arguments.begin());
  if (arguments.size() < 4) {
    fmt::print(stderr, "usage: sql_speed [--whole] WORKSPACE QUERIES ROUNDS NAME...\n");
    return 2;
  }
  if (const auto done = run(whole, arguments); !done) {
    fmt::print(stderr, "{}\n", done.error().message());
    return done.error().exit_status();
  }
  return 0;
}

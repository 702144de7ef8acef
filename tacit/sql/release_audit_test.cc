// Whole queries on neighbouring databases: what comes out must not tell them apart by more than the
// plan claims. The engine aggregates once for each; selection and noise run many times.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tacit/mechanisms/testing/privacy_audit.h"
#include "tacit/privacy/testing/permit_for_tests.h"
#include "tacit/sql/ask.h"
#include "tacit/sql/release_internal.h"
#include "tacit/sql/testing/town_schema.h"

namespace tacit::sql {
namespace {

using tacit::testing::audit_privacy;
using tacit::testing::CellCounts;
using tacit::testing::Claim;
using tacit::testing::count_cells;
using tacit::testing::expect_accepts;
using tacit::testing::expect_rejects_wrong;

constexpr std::uint64_t kReleases = 60'000;
constexpr std::size_t kCells = 24;

// Thirty people with a visit each to one of two places; the person who comes and goes has four in
// each, and a note that nobody else has.
constexpr const char* kOthers =
    "INSERT INTO visits SELECT 100 + i, CASE WHEN i % 2 = 0 THEN 'a' ELSE 'b' END, i % 5, 1.00, "
    "0.5, 'x' FROM range(30) AS r(i)";
constexpr const char* kOne =
    "INSERT INTO visits SELECT 1, CASE WHEN i % 2 = 0 THEN 'a' ELSE 'b' END, 5, i // 2, 1.0, "
    "'rare' "
    "FROM range(8) AS r(i)";

class ReleaseAudit : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(engine_.execute(
        "CREATE TABLE visits (person BIGINT, place VARCHAR, minutes BIGINT, price DECIMAL(9,2), "
        "weight DOUBLE, note VARCHAR)"));
    ASSERT_TRUE(engine_.execute(kOthers));
  }

  QueryPlan planned(const std::string& sql, const PlanOptions& options) {
    auto plan = prepare(sql, schema_, options, embedded_);
    EXPECT_TRUE(plan) << plan.error().message();
    return *std::move(plan);
  }

  ExactGroups exact(const QueryPlan& plan) {
    auto groups = exact_groups(plan.query.aggregations[0], plan.aggregations[0], engine_, "key");
    EXPECT_TRUE(groups) << engine_.steward_detail();
    return *std::move(groups);
  }

  // How often each cell of the released table comes up.
  template <class Cell>
  CellCounts released(const QueryPlan& plan, const ExactGroups& groups, const Cell& cell) {
    return count_cells(kReleases, kCells, [&] {
      Permit permit = PermitForTests::mint(plan.cost);
      const auto table = release_groups(plan.query.aggregations[0], plan.aggregations[0], 0.95,
                                        groups, engine_, permit, stream_);
      return table ? cell(*table) : std::size_t{0};
    });
  }

  // The claim holds of what the engine computes under the plan, and the audit sees when it is
  // something else: what `wrong` makes of it.
  template <class Wrong, class Cell>
  void audit(const QueryPlan& plan, const Claim& claim, const Wrong& wrong, const Cell& cell) {
    const ExactGroups without = exact(plan);
    ASSERT_TRUE(engine_.execute(kOne));
    const ExactGroups with = exact(plan);
    const CellCounts other = released(plan, without, cell);
    expect_accepts(audit_privacy(claim, {released(plan, with, cell), other}));
    expect_rejects_wrong(audit_privacy(claim, {released(plan, wrong(with), cell), other}),
                         "a person who adds more than the plan allows");
  }

  // The same query with wider bounds.
  auto loosened(const std::string& sql, PlanOptions options, std::uint64_t rows) {
    options.bounds.rows_per_group = rows;
    return [this, loose = planned(sql, options)](const ExactGroups&) { return exact(loose); };
  }

  Schema schema_ = testing::town_schema();
  Engine engine_ = Engine::duckdb_in_memory(Engine::Files::kRefused).value();
  Engine embedded_ = Engine::duckdb_in_memory(Engine::Files::kRefused).value();
  SecureStream stream_ = SecureStream::create().value();
};

double number(const Cell& cell) {
  const auto* whole = std::get_if<int128>(&cell);
  return whole != nullptr ? static_cast<double>(*whole) : std::get<double>(cell);
}

double column_at(const Table& table, const char* name, std::size_t row) {
  const auto field = std::ranges::find(table.fields, name, &Field::name);
  return number(table.columns[static_cast<std::size_t>(field - table.fields.begin())][row]);
}

std::size_t cell_of(double value, double first, double width) {
  return static_cast<std::size_t>(
      std::clamp(std::floor((value - first) / width) + 1, 0.0, static_cast<double>(kCells - 1)));
}

TEST_F(ReleaseAudit, ACountByLaplace) {
  const std::string sql = "SELECT count(*) FROM visits";
  const PlanOptions options{.epsilon = Rational(1), .bounds = {.rows_per_group = 3}};
  audit(planned(sql, options), {.epsilon = 1}, loosened(sql, options, 8),
        [](const Table& table) { return cell_of(column_at(table, "value_0", 0), 19.5, 1); });
}

// The likelihood ratio of Laplace noise grows with each coordinate, from where it is without the
// person to where it is with them; the cells are those of its logarithm.
TEST_F(ReleaseAudit, SumsAndCountsOfTwoGroups) {
  const std::string sql =
      "SELECT place, count(*), sum(minutes) FROM visits WHERE place <> 'c' GROUP BY place";
  const PlanOptions options{.epsilon = Rational(2), .bounds = {.groups = 2, .rows_per_group = 2}};
  audit(planned(sql, options), {.epsilon = 2}, loosened(sql, options, 4), [](const Table& table) {
    double ratio = 0;
    for (std::size_t row = 0; row < 2; ++row) {
      ratio += std::clamp((column_at(table, "value_0", row) - 15) / 2, 0.0, 2.0);
      ratio += std::clamp((column_at(table, "value_1", row) - 30) / 10, 0.0, 2.0);
    }
    return cell_of(ratio, 0, 0.35);
  });
}

TEST_F(ReleaseAudit, PrivateKeys) {
  const PlanOptions options{.epsilon = Rational(1),
                            .delta = Rational::parse("0.01").value(),
                            .bounds = {.groups = 1, .rows_per_group = 3}};
  // Rows taken for units: one person alone would show a key.
  const auto rows_for_units = [](ExactGroups groups) {
    for (auto& [key, group] : groups) group.units = key[0] == Cell(std::string("rare")) ? 8 : 30;
    return groups;
  };
  audit(planned("SELECT note, count(*) FROM visits GROUP BY note", options),
        {.epsilon = 1, .delta = 0.01}, rows_for_units, [](const Table& table) {
          for (std::size_t row = 0; row < table.rows(); ++row) {
            if (table.columns[0][row] != Cell(std::string("rare"))) continue;
            return cell_of(column_at(table, "value_0", row), 0, 2) / 2 + 12;
          }
          return std::size_t{0};
        });
}

TEST_F(ReleaseAudit, GaussianNoise) {
  const std::string sql =
      "SELECT CASE WHEN price = 0 THEN 1 WHEN price = 1 THEN 2 WHEN price = 2 THEN 3 ELSE 4 END AS "
      "k, count(*) FROM visits GROUP BY k";
  const PlanOptions options{.epsilon = Rational(1),
                            .delta = Rational::parse("0.001").value(),
                            .bounds = {.groups = 4, .rows_per_group = 1}};
  const QueryPlan plan = planned(sql, options);
  ASSERT_TRUE(plan.gaussian);
  audit(plan, {.epsilon = 1, .delta = 0.001}, loosened(sql, options, 2), [](const Table& table) {
    double sum = 0;
    for (std::size_t row = 0; row < 4; ++row) sum += column_at(table, "value_0", row);
    return cell_of(sum, 0, 3);
  });
}

// The whole road, text to answer, some hundred times.
TEST_F(ReleaseAudit, EndToEnd) {
  constexpr int kRuns = 200;
  const QueryPlan plan =
      planned("SELECT place, count(*) AS n FROM visits GROUP BY place ORDER BY 1",
              {.epsilon = Rational(1), .bounds = {.rows_per_group = 1}});
  int covered = 0;
  double sum = 0;
  for (int run = 0; run < kRuns; ++run) {
    const auto tables = release(plan, engine_, PermitForTests::mint(plan.cost), stream_);
    ASSERT_TRUE(tables) << tables.error().message();
    const auto answer = finish(plan, tables->tables, engine_, embedded_);
    ASSERT_TRUE(answer) << answer.error().message();
    ASSERT_EQ(answer->rows(), 3U);
    const double value = number(answer->columns[1].values[0]);
    sum += value;
    covered += std::fabs(value - 15) <= number(answer->columns[1].half_widths[0]) ? 1 : 0;
  }
  // 95% of 200; the binomial leaves less than 1e-9 below 165.
  EXPECT_GE(covered, 165);
  // The scale is 3 (three groups a person may touch); the mean's deviation 3 * sqrt(2 / 200).
  EXPECT_NEAR(sum / kRuns, 15, 6.2 * 0.3);
}

}  // namespace
}  // namespace tacit::sql

// Whole queries on neighbouring databases: what comes out must not tell them apart by more than the
// plan claims. The engine aggregates once for each; selection and noise run a million times.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "tacit/mechanisms/testing/privacy_audit.h"
#include "tacit/privacy/testing/permit_for_tests.h"
#include "tacit/sql/ask.h"
#include "tacit/sql/release_internal.h"
#include "tacit/sql/testing/thin.h"
#include "tacit/sql/testing/town_schema.h"

namespace tacit::sql {
namespace {

using tacit::testing::audit_privacy;
using tacit::testing::CellCounts;
using tacit::testing::Claim;
using tacit::testing::expect_accepts;
using tacit::testing::expect_rejects_wrong;
using tacit::testing::Verdict;

using testing::kThin;

constexpr std::size_t kReleases = kThin ? 20'000 : 1'000'000;
constexpr std::size_t kCopies = 2000;  // released at a time
constexpr std::size_t kCells = 48;
constexpr double kConfidence = 0.95;

// Thirty people with a visit each to one of two places, six of them with a note that is not common;
// the person who comes and goes has four visits in each place.
constexpr const char* kOthers =
    "INSERT INTO visits SELECT 100 + i, CASE WHEN i % 2 = 0 THEN 'a' ELSE 'b' END, i % 5, 1.00, "
    "0.5, CASE WHEN i < 6 THEN 'few' ELSE 'x' END FROM range(30) AS r(i)";
constexpr const char* kOne =
    "INSERT INTO visits SELECT 1, CASE WHEN i % 2 = 0 THEN 'a' ELSE 'b' END, 5, i // 2, 1.0, '{}' "
    "FROM range(8) AS r(i)";

double number(const Cell& cell) {
  const auto* whole = std::get_if<int128>(&cell);
  return whole != nullptr ? static_cast<double>(*whole) : std::get<double>(cell);
}

std::size_t cell_of(double value, double first, double width) {
  return static_cast<std::size_t>(
      std::clamp(std::floor((value - first) / width) + 1, 0.0, static_cast<double>(kCells - 1)));
}

// The groups of one release as a test statistic reads them.
class Groups {
 public:
  static constexpr std::size_t kAbsent = SIZE_MAX;

  Groups(const Table& table, std::span<const std::size_t> rows) : table_(table), rows_(rows) {}

  [[nodiscard]] std::size_t size() const { return rows_.size(); }
  [[nodiscard]] bool shows(std::size_t group) const { return rows_[group] != kAbsent; }
  // value_j of a group: behind the key, each value before its half-width.
  [[nodiscard]] double value(std::size_t group, std::size_t j) const {
    return number(table_.columns[1 + 2 * j][rows_[group]]);
  }

 private:
  const Table& table_;
  std::span<const std::size_t> rows_;
};

// The groups of a query, many times over, as the groups of one release. Every group is chosen and
// gets its noise by itself, with a law that does not depend on how many others there are; so each
// copy is released as the query's own groups are, by the very same code, and independently.
class Copies {
 public:
  Copies(const QueryPlan& plan, const ExactGroups& exact, const std::vector<GroupKeyValues>& keys)
      : plan_(plan.aggregations[0]), aggregation_(plan.query.aggregations[0]), cost_(plan.cost) {
    aggregation_.keys = {{make_literal(Cell(int128{0}), kIntegerType), "copy"}};
    plan_.domains.assign(1, KeyDomain());
    for (std::size_t i = 0; i < kCopies * keys.size(); ++i) {
      const Cell copy(static_cast<int128>(i));
      plan_.domains[0].values.push_back(copy);
      const auto found = exact.find(keys[i % keys.size()]);
      if (found != exact.end()) groups_[{copy}] = found->second;
    }
    if (!plan_.public_keys) plan_.domains.clear();
    size_ = keys.size();
  }

  // How often each cell comes up in so many releases.
  template <class CellOf>
  CellCounts release(const CellOf& cell_of_groups, std::size_t releases, Engine& engine,
                     SecureStream& stream) const {
    CellCounts counts(kCells, 0);
    for (std::size_t done = 0; done < releases; done += kCopies) {
      Permit permit = PermitForTests::mint(cost_);
      const auto table =
          release_groups(aggregation_, plan_, kConfidence, groups_, engine, permit, stream);
      EXPECT_TRUE(table) << table.error().message();
      std::vector<std::size_t> rows(kCopies * size_, Groups::kAbsent);
      for (std::size_t row = 0; row < table->rows(); ++row) {
        rows[static_cast<std::size_t>(std::get<int128>(table->columns[0][row]))] = row;
      }
      for (std::size_t copy = 0; copy < kCopies; ++copy) {
        ++counts.at(cell_of_groups(Groups(*table, std::span(rows).subspan(copy * size_, size_))));
      }
    }
    return counts;
  }

 private:
  AggregationPlan plan_;
  Aggregation aggregation_;
  Cost cost_;
  ExactGroups groups_;
  std::size_t size_ = 0;
};

// A query, and the groups of it that the person can be seen in.
struct Audited {
  std::string sql;
  PlanOptions options;
  std::vector<GroupKeyValues> groups;
  std::string note = "rare";  // of the person
};

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

  static double half_width(const QueryPlan& plan) {
    const Measure& measure = plan.aggregations[0].measures[0];
    return measure.grid.to_real_above(*measure.noise->half_width(kConfidence));
  }

  // The same query with noise of a scale that is 10% small: that of a larger epsilon.
  QueryPlan with_too_little_noise(const Audited& query) {
    const double wanted = 0.9 * half_width(planned(query.sql, query.options));
    Rational low = query.options.epsilon;
    Rational high = low * Rational(2);
    PlanOptions options = query.options;
    for (int i = 0; i < 12; ++i) {
      options.epsilon = (low + high) / Rational(2);
      (half_width(planned(query.sql, options)) > wanted ? low : high) = options.epsilon;
    }
    options.epsilon = high;
    return planned(query.sql, options);
  }

  template <class CellOf>
  Verdict verdict(const Claim& claim, const QueryPlan& plan, const ExactGroups& with,
                  const ExactGroups& without, const Audited& query, const CellOf& cell,
                  std::size_t releases = kReleases) {
    return audit_privacy(
        claim, {Copies(plan, with, query.groups).release(cell, releases, engine_, stream_),
                Copies(plan, without, query.groups).release(cell, releases, engine_, stream_)});
  }

  // The claim holds of what the engine computes under the plan. The audit sees noise that is 10%
  // small, and what `wrong` makes of the exact groups with the person.
  template <class Wrong, class CellOf>
  void audit(const Audited& query, const Claim& claim, const Wrong& wrong, const CellOf& cell) {
    const QueryPlan plan = planned(query.sql, query.options);
    const ExactGroups without = exact(plan);
    ASSERT_TRUE(engine_.execute(fmt::format(kOne, query.note)));
    const ExactGroups with = exact(plan);
    expect_accepts(verdict(claim, plan, with, without, query, cell));
    expect_rejects_wrong(verdict(claim, plan, wrong(with), without, query, cell,
                                 std::min<std::size_t>(kReleases, 100'000)),
                         "a person who adds more than the plan allows");
    if (kThin) return;
    expect_rejects_wrong(verdict(claim, with_too_little_noise(query), with, without, query, cell),
                         "noise of a scale that is 10% small");
  }

  // The same query with wider bounds.
  auto loosened(const Audited& query, std::uint64_t rows) {
    PlanOptions options = query.options;
    options.bounds.rows_per_group = rows;
    return [this, loose = planned(query.sql, options)](const ExactGroups&) { return exact(loose); };
  }

  Schema schema_ = testing::town_schema();
  Engine engine_ = Engine::duckdb_in_memory(Engine::Files::kRefused).value();
  Engine embedded_ = Engine::duckdb_in_memory(Engine::Files::kRefused).value();
  SecureStream stream_ = SecureStream::create().value();
};

GroupKeyValues text_key(const char* text) { return {Cell(std::string(text))}; }

// 30 rows without the person, 33 with. From 33 on the likelihoods differ by all of epsilon.
TEST_F(ReleaseAudit, ACountByLaplace) {
  const Audited query{.sql = "SELECT count(*) FROM visits",
                      .options = {.epsilon = Rational(1), .bounds = {.rows_per_group = 3}},
                      .groups = {{}}};
  audit(query, {.epsilon = 1}, loosened(query, 8),
        [](const Groups& groups) { return cell_of(groups.value(0, 0), 20, 1); });
}

// The likelihood ratio of Laplace noise grows with each coordinate, from where it is without the
// person (15 rows, 30 minutes) to where it is with them (17 and 40). The cells are those of its
// logarithm, times 20; in the last one the likelihoods differ by all of epsilon.
TEST_F(ReleaseAudit, SumsAndCountsOfTwoGroups) {
  const Audited query{
      .sql = "SELECT place, count(*), sum(minutes) FROM visits WHERE place <> 'c' GROUP BY place",
      .options = {.epsilon = Rational(2), .bounds = {.groups = 2, .rows_per_group = 2}},
      .groups = {text_key("a"), text_key("b")}};
  audit(query, {.epsilon = 2}, loosened(query, 4), [](const Groups& groups) {
    double ratio = 0;
    for (std::size_t group = 0; group < groups.size(); ++group) {
      ratio += 5 * std::clamp(groups.value(group, 0) - 15, 0.0, 2.0);
      ratio += std::clamp(groups.value(group, 1) - 30, 0.0, 10.0);
    }
    return static_cast<std::size_t>(ratio);
  });
}

// Rows taken for units: one person alone would show a key.
ExactGroups rows_for_units(ExactGroups groups) {
  for (auto& [key, group] : groups) group.units = static_cast<std::uint64_t>(group.totals[0]) * 2;
  return groups;
}

std::size_t cell_of_key(const Groups& groups) {
  return groups.shows(0) ? 1 + std::min(cell_of(groups.value(0, 0), -6, 1), kCells - 2) : 0;
}

// A key that nobody else has is shown with probability delta.
TEST_F(ReleaseAudit, AKeyOfOnePerson) {
  const Audited query{.sql = "SELECT note, count(*) FROM visits GROUP BY note",
                      .options = {.epsilon = Rational(1),
                                  .delta = Rational::parse("0.01").value(),
                                  .bounds = {.groups = 1, .rows_per_group = 3}},
                      .groups = {text_key("rare")}};
  const QueryPlan plan = planned(query.sql, query.options);
  const ExactGroups without = exact(plan);
  ASSERT_TRUE(engine_.execute(fmt::format(kOne, "rare")));
  const ExactGroups with = exact(plan);
  const Claim claim{.epsilon = 1, .delta = 0.01};
  expect_accepts(verdict(claim, plan, with, without, query, cell_of_key));
  expect_rejects_wrong(verdict(claim, plan, rows_for_units(with), without, query, cell_of_key),
                       "rows taken for units");
  // At a delta of 0.01 the choice may show it once in a hundred releases, not 12 times in a
  // thousand.
  PlanOptions loose = query.options;
  loose.delta = Rational::parse("0.012").value();
  if (kThin) return;
  expect_rejects_wrong(verdict(claim, planned(query.sql, loose), with, without, query, cell_of_key),
                       "a delta that is 20% large");
}

// A key of seven people or six: choice and noise both tell.
TEST_F(ReleaseAudit, AKeyOfAFew) {
  const Audited query{.sql = "SELECT note, count(*) FROM visits GROUP BY note",
                      .options = {.epsilon = Rational(1),
                                  .delta = Rational::parse("0.01").value(),
                                  .bounds = {.groups = 1, .rows_per_group = 3}},
                      .groups = {text_key("few")},
                      .note = "few"};
  audit(query, {.epsilon = 1, .delta = 0.01}, rows_for_units, cell_of_key);
}

// One more in each of four groups; along their sum the two Gaussians lie farthest apart.
TEST_F(ReleaseAudit, GaussianNoise) {
  const Audited query{
      .sql =
          "SELECT CASE WHEN price = 0 THEN 1 WHEN price = 1 THEN 2 WHEN price = 2 THEN 3 ELSE 4 "
          "END AS k, count(*) FROM visits GROUP BY k",
      .options = {.epsilon = Rational(1),
                  .delta = Rational::parse("0.01").value(),
                  .bounds = {.groups = 4, .rows_per_group = 1}},
      .groups = {{Cell(int128{1})}, {Cell(int128{2})}, {Cell(int128{3})}, {Cell(int128{4})}}};
  ASSERT_TRUE(planned(query.sql, query.options).gaussian);
  audit(query, {.epsilon = 1, .delta = 0.01}, loosened(query, 2), [](const Groups& groups) {
    double sum = 0;
    for (std::size_t group = 0; group < groups.size(); ++group) sum += groups.value(group, 0);
    return cell_of(sum, 10, 1);
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
    ASSERT_EQ(answer->rows(), 4U);
    const double value = number(answer->columns[1].values[0]);
    sum += value;
    covered += std::fabs(value - 15) <= number(answer->columns[1].half_widths[0]) ? 1 : 0;
  }
  // 95% of 200; the binomial leaves less than 1e-9 below 165.
  EXPECT_GE(covered, 165);
  // The scale is 4 (the groups a person may touch: three places, and NULL); the mean's deviation
  // 4 * sqrt(2 / 200).
  EXPECT_NEAR(sum / kRuns, 15, 6.2 * 0.4);
}

}  // namespace
}  // namespace tacit::sql

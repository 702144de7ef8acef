// The learners on neighbouring databases: the engine counts once for each, the mechanism draws many
// times, and what it says must not tell the two apart by more than it was priced for.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tacit/mechanisms/testing/goodness_of_fit.h"
#include "tacit/mechanisms/testing/privacy_audit.h"
#include "tacit/privacy/testing/permit_for_tests.h"
#include "tacit/sql/ask.h"
#include "tacit/sql/learned.h"
#include "tacit/sql/testing/thin.h"

namespace tacit::sql {
namespace {

using tacit::testing::audit_privacy;
using tacit::testing::CellCounts;
using tacit::testing::Claim;
using tacit::testing::count_cells;
using tacit::testing::expect_accepts;
using tacit::testing::expect_rejects_wrong;
using tacit::testing::fits_law;
using tacit::testing::Verdict;

using testing::kThin;

constexpr std::uint64_t kDraws = kThin ? 5'000 : 100'000;
constexpr std::uint64_t kMost = 8;
const Rational kTooLittleNoise = Rational(10) / Rational(9);

Schema visits(Neighbours neighbours) {
  Schema out{.dataset = "clinic", .neighbours = neighbours};
  TableSchema table{.name = "visits", .source = "visits"};
  table.unit = {.kind = Unit::Kind::kColumns, .columns = {"person"}};
  table.columns = {{.name = "person", .type = kIntegerType},
                   {.name = "ward", .type = kIntegerType, .lower = 0, .upper = 7},
                   {.name = "price", .type = kIntegerType}};
  out.tables = {table};
  return out;
}

class LearnedAudit : public ::testing::TestWithParam<Neighbours> {
 protected:
  void SetUp() override {
    ASSERT_TRUE(engine_.execute("CREATE TABLE visits (person BIGINT, ward BIGINT, price BIGINT)"));
  }

  QueryPlan planned(const std::string& sql, const Rational& epsilon, const Learn& learn) {
    auto plan = prepare(
        sql, schema_,
        {.epsilon = epsilon, .bounds = {.groups = kMost, .rows_per_group = kMost}, .learn = learn},
        embedded_);
    EXPECT_TRUE(plan) << plan.error().message();
    return *std::move(plan);
  }

  // Rows of one person, in so many wards and so many in each.
  void add(int person, int wards, int rows, int price) {
    ASSERT_TRUE(engine_.execute(
        fmt::format("INSERT INTO visits SELECT {}, w, {} FROM range({}) AS a(w), range({}) AS b(r)",
                    person, price, wards, rows)));
  }
  void remove(int person) {
    ASSERT_TRUE(engine_.execute(fmt::format("DELETE FROM visits WHERE person = {}", person)));
  }
  // The person who comes and goes, or whose rows are others.
  void leave(int person, int wards, int rows, int price) {
    remove(person);
    if (GetParam() == Neighbours::kReplace) add(person, wards, rows, price);
  }

  std::vector<std::vector<std::int64_t>> ask(const QueryPlan& plan) {
    const auto statements =
        learner_statements(plan.query.aggregations[0], plan.aggregations[0], engine_.dialect());
    const auto answer = engine_.query(statements.back().sql);
    EXPECT_TRUE(answer) << engine_.steward_detail();
    std::vector<std::vector<std::int64_t>> out(answer->rows());
    for (const auto& column : answer->columns) {
      for (std::size_t row = 0; row < out.size(); ++row) {
        out[row].push_back(static_cast<std::int64_t>(std::get<int128>(column[row])));
      }
    }
    return out;
  }

  Schema schema_ = visits(GetParam());
  Engine engine_ = Engine::duckdb_in_memory(Engine::Files::kRefused).value();
  Engine embedded_ = Engine::duckdb_in_memory(Engine::Files::kRefused).value();
  SecureStream stream_ = SecureStream::create().value();
};

// Of a range.

using Bins = std::vector<PrivateBounds::BinCount>;

Bins bins(const std::vector<std::vector<std::int64_t>>& rows) {
  Bins out;
  for (const auto& row : rows) {
    out.push_back({static_cast<int>(row[0]), static_cast<std::uint64_t>(row[2])});
    out.push_back({static_cast<int>(row[1]), static_cast<std::uint64_t>(row[2])});
  }
  return out;
}

TEST_P(LearnedAudit, OfARange) {
  const double epsilon = 1;
  // The learner has one of two parts.
  const auto mechanism = [&](const Rational& times) {
    const auto plan = planned("SELECT ward, sum(price) FROM visits GROUP BY ward",
                              Rational(2) * times, {.ranges = true});
    return std::pair(plan, *plan.aggregations[0].learners.ranges[0].mechanism);
  };
  // Cells: the person's bin is not occupied, or it is.
  const auto found = [&](const PrivateBounds& bounds, const Bins& counts, std::uint64_t draws) {
    return count_cells(draws, 2, [&] {
      const auto said = bounds.release_counts(counts, PermitForTests::mint(bounds.cost()), stream_);
      return said && said->value && said->value->upper == 8 ? std::size_t{1} : std::size_t{0};
    });
  };
  const auto audit = [&](const Rational& times, std::uint64_t person_counts,
                         std::uint64_t draws = kDraws) {
    const auto [plan, bounds] = mechanism(times);
    // So many others that with the person the bin is just at the threshold.
    const auto others = static_cast<int>((bounds.threshold() - 1) / 2);
    EXPECT_TRUE(engine_.execute("DELETE FROM visits"));
    EXPECT_TRUE(engine_.execute(fmt::format(
        "INSERT INTO visits SELECT 100 + i, i % 8, 5 FROM range({}) AS r(i)", others - 1)));
    add(1, 8, 1000, 6);
    Bins with = bins(ask(plan));
    with.push_back({3, person_counts - 2});
    leave(1, 8, 1000, 0);
    return audit_privacy({.epsilon = epsilon},
                         {found(bounds, with, draws), found(bounds, bins(ask(plan)), draws)});
  };
  expect_accepts(audit(Rational(1), 2));
  if (kThin) return;
  if (GetParam() == Neighbours::kReplace) {
    // The noise is for four values; the two that come and the two that go are in different bins.
    expect_rejects_wrong(audit(Rational(1), 12), "a person who is counted many times");
    return;
  }
  expect_rejects_wrong(audit(kTooLittleNoise, 2, 3 * kDraws), "noise of a scale that is 10% small");
  expect_rejects_wrong(audit(Rational(1), 4), "a person who is counted twice");
}

// Of a number of rows or groups.

// Up to eight the candidates are 1, 2, 3, 4, 6 and 8.
const std::vector<std::uint64_t> kCandidates{1, 2, 3, 4, 6, 8};

std::vector<GridCount> grid_counts(const std::vector<std::vector<std::int64_t>>& rows) {
  std::vector<GridCount> out;
  for (const auto& row : rows) {
    const auto at = std::ranges::lower_bound(kCandidates, static_cast<std::uint64_t>(row[0]));
    const auto place = std::min<std::int64_t>(at - kCandidates.begin(), 5);
    out.push_back({place, static_cast<std::uint64_t>(row[1])});
  }
  return out;
}

// P(v) in proportion to exp(-rate d(v)), where d(v) values are too many on one side of v
// (mechanisms/quantile/proof.md): written down once more, in floating point.
std::vector<double> law(const std::vector<GridCount>& counts, double epsilon,
                        Neighbours neighbours) {
  constexpr double kShare = 0.9;
  const double rate = epsilon / (2 * (neighbours == Neighbours::kReplace ? 1 : kShare));
  double n = 0;
  for (const GridCount& at : counts) n += static_cast<double>(at.values);
  std::vector<double> out;
  double sum = 0;
  for (std::int64_t v = 0; v < static_cast<std::int64_t>(kCandidates.size()); ++v) {
    double less = 0;
    double greater = 0;
    for (const GridCount& at : counts) {
      if (at.steps < v) less += static_cast<double>(at.values);
      if (at.steps > v) greater += static_cast<double>(at.values);
    }
    const double d = std::max({0.0, less - kShare * n, greater - (1 - kShare) * n});
    out.push_back(std::exp(-rate * d));
    sum += out.back();
  }
  for (double& p : out) p /= sum;
  return out;
}

TEST_P(LearnedAudit, OfNumbers) {
  const double epsilon = 1;
  for (const bool rows : {true, false}) {
    // The learner has one of two parts.
    const QueryPlan plan = planned("SELECT ward, count(*) FROM visits GROUP BY ward", Rational(2),
                                   {.rows = rows, .groups = !rows});
    const Learners& learners = plan.aggregations[0].learners;
    const Quantile& mechanism = *(rows ? learners.rows : learners.groups)->mechanism;
    const auto drawn = [&](const std::vector<GridCount>& counts) {
      return count_cells(kDraws, kCandidates.size(), [&] {
        const auto said =
            mechanism.release_counts(counts, PermitForTests::mint(mechanism.cost()), stream_);
        return said ? static_cast<std::size_t>(said->front().value) : std::size_t{0};
      });
    };
    ASSERT_TRUE(engine_.execute("DELETE FROM visits"));
    for (int person = 10; person < 14; ++person) add(person, 1 + person % 3, 1 + person % 3, 0);
    // Thousands of rows are one number, 8 at most.
    add(1, 8, 5000, 0);
    const auto with = grid_counts(ask(plan));
    const CellCounts seen = drawn(with);
    expect_accepts(fits_law(seen, law(with, epsilon, GetParam())));
    if (!kThin) {
      expect_rejects_wrong(fits_law(seen, law(with, epsilon / 0.9, GetParam())),
                           "a draw at a scale that is not 10% small");
    }
    leave(1, 1, 1, 0);
    const auto without = grid_counts(ask(plan));
    const CellCounts other = drawn(without);
    expect_accepts(audit_privacy({.epsilon = epsilon}, {seen, other}));
    // Every row of the person, or every group, a number of its own.
    auto often = with;
    std::ranges::find(often, 5, &GridCount::steps)->values += 8;
    expect_rejects_wrong(audit_privacy({.epsilon = epsilon}, {drawn(often), other}),
                         "a person who gives a number for each of eight groups");
  }
}

INSTANTIATE_TEST_SUITE_P(Relations, LearnedAudit,
                         ::testing::Values(Neighbours::kAddRemove, Neighbours::kReplace),
                         [](const auto& one) {
                           return one.param == Neighbours::kReplace ? "replaced" : "removed";
                         });

}  // namespace
}  // namespace tacit::sql

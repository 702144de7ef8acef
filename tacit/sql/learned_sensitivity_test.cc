// Removes and replaces units of small databases: what a unit gives to the learners, and what it
// adds under each of the bounds that they may find.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <map>
#include <sstream>

#include "tacit/sql/ask.h"
#include "tacit/sql/learned.h"
#include "tacit/sql/testing/movement.h"
#include "tacit/sql/testing/random_town.h"

namespace tacit::sql {
namespace {

using testing::Database;
using testing::Movement;

struct Shape {
  const char* sql;
  bool of_rows = false;  // each row is a unit
};

const std::vector<Shape> kShapes{
    {"SELECT count(*) FROM visits"},
    {"SELECT sum(minutes) FROM visits"},
    {"SELECT place, count(*), sum(price), avg(weight) FROM visits GROUP BY place"},
    {"SELECT note, variance(weight), median(price) FROM visits GROUP BY note"},
    {"SELECT place, stddev(price) FILTER (WHERE minutes > 0) FROM visits GROUP BY place"},
    {"SELECT o.place, sum(amount) FROM items i JOIN orders o ON i.number = o.number GROUP BY "
     "o.place"},
    {"SELECT note, sum(points), avg(points) FROM answers GROUP BY note", true},
};
constexpr int kDatabases = 4;
const std::vector<std::string> kTablesOfPeople{"people", "visits", "accounts"};

Schema without_ranges(Neighbours neighbours) {
  Schema schema = testing::town_schema(neighbours);
  for (TableSchema& table : schema.tables) {
    for (Column& column : table.columns) column.lower = column.upper = std::nullopt;
  }
  return schema;
}

// Some of the bounds that the learners of a plan may find.
std::vector<LearnedBounds> some_bounds(const Learners& learners) {
  const auto bounds = [&](std::uint64_t rows, std::uint64_t groups, const ValueRange& range) {
    LearnedBounds out;
    if (learners.rows) out.rows = rows;
    if (learners.groups) out.groups = groups;
    out.ranges.resize(learners.ranges.size(), range);
    return out;
  };
  return {bounds(1, 1, {Rational(0), Rational(1)}), bounds(2, 2, {Rational(-4), Rational(4)}),
          bounds(3, 1, {Rational(1), Rational(2)}), bounds(1, 2, {Rational(-2), Rational(-1)}),
          widest(learners)};
}

struct Planned {
  const Shape* shape;
  QueryPlan reserved;
  std::vector<AggregationPlan> settled;
  std::vector<Movement> movements;
};

// What the engine computes of one shape: for each learner, how many units gave each answer; and the
// groups under each of the bounds.
struct Computed {
  std::vector<std::map<std::vector<Cell>, std::int64_t>> given;
  std::vector<ExactGroups> groups;
};

class LearnedSensitivity : public ::testing::TestWithParam<Neighbours> {
 protected:
  void SetUp() override {
    ASSERT_TRUE(testing::create_tables(engine_, schema_));
    Engine embedded = Engine::duckdb_in_memory(Engine::Files::kRefused).value();
    for (const Shape& shape : kShapes) {
      auto plan = prepare(shape.sql, schema_,
                          {.epsilon = Rational(1),
                           .delta = Rational::parse("1e-6").value(),
                           .learn = {.rows = true, .groups = true, .ranges = true}},
                          embedded);
      ASSERT_TRUE(plan) << shape.sql << ": " << plan.error().message();
      Planned one{&shape, *std::move(plan), {}, {}};
      const AggregationPlan& reserved = one.reserved.aggregations[0];
      ASSERT_TRUE(reserved.learns());
      for (const LearnedBounds& bounds : some_bounds(reserved.learners)) {
        auto settled =
            settle(one.reserved.query.aggregations[0], reserved, bounds, GetParam(), 0.95);
        ASSERT_TRUE(settled) << shape.sql << ": " << settled.error().message();
        one.settled.push_back(*std::move(settled));
      }
      planned_.push_back(std::move(one));
    }
    for (Planned& one : planned_) {
      for (const AggregationPlan& settled : one.settled) {
        one.movements.emplace_back(settled, GetParam());
      }
    }
  }

  Computed compute(const Planned& one) {
    Computed out;
    const Aggregation& aggregation = one.reserved.query.aggregations[0];
    for (const LearnerStatement& statement :
         learner_statements(aggregation, one.reserved.aggregations[0], engine_.dialect())) {
      const auto answer = engine_.query(statement.sql);
      if (!answer) RC_FAIL(one.shape->sql + (": " + engine_.steward_detail()));
      auto& given = out.given.emplace_back();
      for (std::size_t row = 0; row < answer->rows(); ++row) {
        std::vector<Cell> key;
        for (std::size_t c = 0; c + 1 < answer->columns.size(); ++c) {
          key.push_back(answer->columns[c][row]);
        }
        given[key] += static_cast<std::int64_t>(std::get<int128>(answer->columns.back()[row]));
      }
    }
    for (const AggregationPlan& settled : one.settled) {
      auto groups = exact_groups(aggregation, settled, engine_, "key");
      if (!groups) RC_FAIL(one.shape->sql + (": " + engine_.steward_detail()));
      out.groups.push_back(*std::move(groups));
    }
    return out;
  }

  std::vector<Computed> compute(const Database& database) {
    RC_ASSERT(testing::fill(engine_, database).has_value());
    std::vector<Computed> out;
    for (const Planned& one : planned_) out.push_back(compute(one));
    return out;
  }

  void compare(Planned& one, const Computed& before, const Computed& after) {
    for (std::size_t i = 0; i < before.given.size(); ++i) {
      auto moved = before.given[i];
      for (const auto& [key, units] : after.given[i]) moved[key] -= units;
      std::int64_t sum = 0;
      for (const auto& [key, units] : moved) sum += std::abs(units);
      // One answer goes; under replace another comes.
      const std::int64_t most = GetParam() == Neighbours::kReplace ? 2 : 1;
      if (sum > most) RC_FAIL(fmt::format("{}: learner {} moved by {}", one.shape->sql, i, sum));
      given_ = given_ || sum == most;
    }
    for (std::size_t b = 0; b < one.movements.size(); ++b) {
      const std::string why = one.movements[b].compare(before.groups[b], after.groups[b]);
      if (!why.empty()) RC_FAIL(fmt::format("{}, bounds {}: {}", one.shape->sql, b, why));
    }
  }

  std::vector<Database> others(const Database& database, bool of_rows) {
    std::vector<Database> out;
    const auto& answers = std::ranges::find(database, "answers", &testing::Rows::table)->rows;
    if (of_rows) {
      for (std::size_t row = 0; row < answers.size() && row < 2; ++row) {
        out.push_back(testing::without_row(database, "answers", row));
      }
    } else if (GetParam() == Neighbours::kReplace) {
      out.push_back(testing::replaced(database, *testing::some_town(), kTablesOfPeople, {"1"}));
    } else {
      for (const char* person : {"1", "2"}) {
        out.push_back(testing::without(database, kTablesOfPeople, {person}));
      }
    }
    return out;
  }

  void check(const Database& database) {
    const auto before = compute(database);
    for (const bool of_rows : {false, true}) {
      for (const Database& other : others(database, of_rows)) {
        const auto after = compute(other);
        for (std::size_t p = 0; p < planned_.size(); ++p) {
          if (planned_[p].shape->of_rows == of_rows) compare(planned_[p], before[p], after[p]);
        }
      }
    }
  }

  Schema schema_ = without_ranges(GetParam());
  Engine engine_ = Engine::duckdb_in_memory(Engine::Files::kRefused).value();
  std::vector<Planned> planned_;
  bool given_ = false;  // some unit moved some learner as far as it may
};

TEST_P(LearnedSensitivity, IsWhatThePlansClaim) {
  rc::detail::TestParams params = rc::detail::configuration().testParams;
  params.maxSuccess = kDatabases;
  if (GetParam() == Neighbours::kAddRemove) check(testing::fullest_town());
  const auto result = rc::detail::checkTestable([&] { check(*testing::some_town()); },
                                                rc::detail::TestMetadata{}, params);
  std::ostringstream said;
  rc::detail::printResultMessage(result, said);
  ASSERT_TRUE(result.is<rc::detail::SuccessResult>()) << said.str();
  if (GetParam() == Neighbours::kReplace) return;
  // In the fullest town a person moves a learner, and the counts of one row and one group, as far
  // as claimed.
  EXPECT_TRUE(given_);
  EXPECT_TRUE(planned_[0].movements[0].reached()[0]);
}

INSTANTIATE_TEST_SUITE_P(Relations, LearnedSensitivity,
                         ::testing::Values(Neighbours::kAddRemove, Neighbours::kReplace),
                         [](const auto& one) {
                           return one.param == Neighbours::kReplace ? "replaced" : "removed";
                         });

}  // namespace
}  // namespace tacit::sql

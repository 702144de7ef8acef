// Removes each unit in turn from small databases, and holds the change to what the plan claims.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <sstream>

#include "tacit/sql/ask.h"
#include "tacit/sql/testing/movement.h"
#include "tacit/sql/testing/random_town.h"

namespace tacit::sql {
namespace {

using testing::Database;
using testing::Movement;

// Whose removal is tried: a person, a person and a day, or a row.
enum class Remove : std::uint8_t { kPerson, kStay, kAnswer };

struct Shape {
  const char* name;
  const char* sql;
  Remove remove = Remove::kPerson;
};

// Every aggregate, unit and join.
const std::vector<Shape> kShapes{
    {"count", "SELECT count(*) FROM visits"},
    {"count of values", "SELECT count(note) FROM visits"},
    {"count by declared keys", "SELECT place, count(*) FROM visits GROUP BY place"},
    {"count by private keys", "SELECT note, count(*) FROM visits GROUP BY note"},
    {"count by two keys", "SELECT place, note, count(*) FROM visits GROUP BY place, note"},
    {"filter", "SELECT place, count(*) FILTER (WHERE minutes > 0) FROM visits GROUP BY place"},
    {"units", "SELECT place, count(DISTINCT person) FROM visits GROUP BY place"},
    {"filtered units", "SELECT count(DISTINCT person) FILTER (WHERE minutes > 0) FROM visits"},
    {"values", "SELECT place, count(DISTINCT note) FROM visits GROUP BY place"},
    {"values of numbers", "SELECT count(DISTINCT minutes) FROM visits"},
    {"sum", "SELECT sum(minutes) FROM visits"},
    {"sum by key", "SELECT note, sum(minutes), sum(price) FROM visits GROUP BY note"},
    {"sum of reals", "SELECT place, sum(weight) FROM visits GROUP BY place"},
    {"sum of an expression",
     "SELECT sum(LEAST(GREATEST(minutes * minutes - 3, -5), 5)) FROM visits"},
    {"sum of a quotient",
     "SELECT sum(LEAST(GREATEST(minutes / age, -2), 2)) FROM visits v JOIN "
     "people p ON v.person = p.person"},
    {"average", "SELECT place, avg(minutes) FROM visits GROUP BY place"},
    {"average of reals", "SELECT avg(weight) FROM visits"},
    {"average of decimals", "SELECT avg(price) FROM visits"},
    {"variance", "SELECT place, variance(minutes) FROM visits GROUP BY place"},
    {"variance of reals", "SELECT stddev(weight) FROM visits"},
    {"median", "SELECT place, median(minutes) FROM visits GROUP BY place"},
    {"least and greatest", "SELECT min(price), max(weight) FROM visits"},
    {"histogram", "SELECT width_bucket(weight, -1, 1, 3) AS b, count(*) FROM visits GROUP BY b"},
    {"public join",
     "SELECT region, count(*) FROM visits v JOIN places p ON v.place = p.place "
     "GROUP BY region"},
    {"cross join with public rows",
     "SELECT region, sum(minutes) FROM visits, places GROUP BY region"},
    {"left join with public rows",
     "SELECT region, count(*) FROM visits v LEFT JOIN places p ON "
     "v.place = p.place GROUP BY region"},
    {"join on the unit",
     "SELECT age, count(*) FROM visits v JOIN people p ON v.person = p.person "
     "GROUP BY age"},
    {"left join on the unit",
     "SELECT age, sum(minutes) FROM visits v LEFT JOIN people p ON "
     "v.person = p.person GROUP BY age"},
    {"self-join",
     "SELECT a.place, count(*) FROM visits a JOIN visits b ON a.person = b.person AND "
     "a.minutes < b.minutes GROUP BY a.place"},
    {"path", "SELECT place, count(*) FROM orders GROUP BY place"},
    {"path of two steps", "SELECT sum(amount) FROM items"},
    {"path walked by the query",
     "SELECT o.place, sum(amount) FROM items i JOIN orders o ON "
     "i.number = o.number JOIN accounts a ON o.account = a.account "
     "GROUP BY o.place"},
    {"left join along the path",
     "SELECT o.place, count(*) FROM accounts a LEFT JOIN orders o ON "
     "o.account = a.account GROUP BY o.place"},
    {"units along the path",
     "SELECT o.place, count(DISTINCT a.person) FROM orders o JOIN accounts "
     "a ON o.account = a.account GROUP BY o.place"},
    {"IN",
     "SELECT place, count(*) FROM visits WHERE person IN (SELECT person FROM people WHERE "
     "age > 0) GROUP BY place"},
    {"NOT IN",
     "SELECT place, count(*) FROM visits WHERE person NOT IN (SELECT person FROM people) "
     "GROUP BY place"},
    {"NOT EXISTS along the path",
     "SELECT count(*) FROM accounts a WHERE NOT EXISTS (SELECT 1 FROM "
     "orders o WHERE o.account = a.account AND o.place = 'a')"},
    {"two levels",
     "SELECT sum(LEAST(n, 4)) FROM (SELECT person, count(*) AS n FROM visits GROUP "
     "BY person)"},
    {"two levels by key",
     "SELECT n, count(*) FROM (SELECT person, count(DISTINCT place) AS n FROM "
     "visits GROUP BY person) GROUP BY n"},
    {"two levels of sums",
     "SELECT sum(LEAST(GREATEST(s, 0), 9)) FROM (SELECT person, sum(price) "
     "AS s FROM visits GROUP BY person HAVING count(*) > 1)"},
    {"two levels by more than the unit",
     "SELECT place, sum(LEAST(n, 3)) FROM (SELECT person, "
     "place, count(*) AS n FROM visits GROUP BY person, place) "
     "GROUP BY place"},
    {"units that are a row each",
     "SELECT count(DISTINCT person) FROM (SELECT person, count(*) AS "
     "n FROM visits GROUP BY person)"},
    {"UNION ALL",
     "SELECT place, count(*) FROM (SELECT person, place FROM visits UNION ALL SELECT "
     "person, place FROM people) GROUP BY place"},
    {"composite unit", "SELECT place, sum(nights) FROM stays GROUP BY place", Remove::kStay},
    {"composite unit, values", "SELECT count(DISTINCT person) FROM stays", Remove::kStay},
    {"composite unit, two levels",
     "SELECT sum(LEAST(n, 2)) FROM (SELECT person, day, count(*) AS "
     "n FROM stays GROUP BY person, day)",
     Remove::kStay},
    {"composite unit whose columns are equal",
     "SELECT sum(LEAST(n, 2)) FROM (SELECT person, place, count(*) AS n FROM stays WHERE person = "
     "day GROUP BY person, place)",
     Remove::kStay},
    {"rows", "SELECT place, count(*), sum(points) FROM answers GROUP BY place", Remove::kAnswer},
    {"rows by private keys", "SELECT note, avg(points) FROM answers GROUP BY note",
     Remove::kAnswer},
    {"rows, values", "SELECT place, count(DISTINCT note) FROM answers GROUP BY place",
     Remove::kAnswer},
    {"rows and public rows",
     "SELECT region, count(*), sum(points) FROM answers a JOIN places p ON "
     "a.place = p.place GROUP BY region",
     Remove::kAnswer},
    {"rows and public rows, values",
     "SELECT count(DISTINCT region) FROM answers a JOIN places p "
     "ON a.place = p.place",
     Remove::kAnswer},
};

constexpr int kDatabases = 6;
const std::vector<std::string> kTablesOfPeople{"people", "visits", "accounts"};

std::size_t answers_in(const Database& database) {
  return std::ranges::find(database, "answers", &testing::Rows::table)->rows.size();
}

// Every database that lacks one unit. The rows along its paths stay behind and dangle.
std::vector<Database> without_one(const Database& database, Remove remove) {
  std::vector<Database> out;
  if (remove == Remove::kPerson) {
    for (const char* person : {"1", "2", "3", "4"}) {
      out.push_back(testing::without(database, kTablesOfPeople, {person}));
    }
  } else if (remove == Remove::kStay) {
    for (const char* person : {"1", "2", "5"}) {
      for (const char* day : {"5", "6"}) {
        out.push_back(testing::without(database, {"stays"}, {person, day}));
      }
    }
  } else {
    for (std::size_t row = 0; row < answers_in(database); ++row) {
      out.push_back(testing::without_row(database, "answers", row));
    }
  }
  return out;
}

// The same where a unit is another instead.
std::vector<Database> with_one_replaced(const Database& database, const Database& other,
                                        Remove remove) {
  std::vector<Database> out;
  if (remove == Remove::kPerson) {
    for (const char* person : {"1", "2"}) {
      out.push_back(testing::replaced(database, other, kTablesOfPeople, {person}));
    }
  } else if (remove == Remove::kStay) {
    out.push_back(testing::replaced(database, other, {"stays"}, {"5", "5"}));
  } else if (answers_in(database) > 0 && answers_in(other) > 0) {
    Database next = testing::without_row(database, "answers", 0);
    std::ranges::find(next, "answers", &testing::Rows::table)
        ->rows.push_back(std::ranges::find(other, "answers", &testing::Rows::table)->rows.front());
    out.push_back(std::move(next));
  }
  return out;
}

// A shape, its plan under one choice of bounds, and how far units moved it.
struct Planned {
  const Shape* shape;
  QueryPlan plan;
  std::vector<Movement> movements;
};

class Sensitivity : public ::testing::TestWithParam<std::tuple<Remove, Neighbours>> {
 protected:
  void SetUp() override {
    schema_ = testing::town_schema(std::get<1>(GetParam()));
    engine_.emplace(Engine::duckdb_in_memory(Engine::Files::kRefused).value());
    auto embedded = Engine::duckdb_in_memory(Engine::Files::kRefused).value();
    ASSERT_TRUE(testing::create_tables(*engine_, schema_));
    for (const Shape& shape : kShapes) {
      if (shape.remove != std::get<0>(GetParam())) continue;
      // With the least bounds the cut is seen most; with more of them groups and rows add up.
      for (const std::uint64_t most : {1U, 2U}) {
        auto plan = prepare(shape.sql, schema_,
                            {.epsilon = Rational(1),
                             .delta = Rational::parse("1e-6").value(),
                             .bounds = {.groups = most, .rows_per_group = most}},
                            embedded);
        ASSERT_TRUE(plan) << shape.name << ": " << plan.error().message();
        planned_.push_back({&shape, *std::move(plan), {}});
      }
    }
    for (Planned& one : planned_) {
      for (const AggregationPlan& part : one.plan.aggregations) {
        one.movements.emplace_back(part, one.plan.neighbours);
      }
    }
  }

  // What the engine computes of every plan.
  std::vector<std::vector<ExactGroups>> exact(const Database& database) {
    const auto filled = testing::fill(*engine_, database);
    RC_ASSERT(filled.has_value());
    std::vector<std::vector<ExactGroups>> out;
    for (const Planned& one : planned_) {
      auto& parts = out.emplace_back();
      for (std::size_t i = 0; i < one.plan.aggregations.size(); ++i) {
        auto groups =
            exact_groups(one.plan.query.aggregations[i], one.plan.aggregations[i], *engine_, "key");
        if (!groups) RC_FAIL(std::string(one.shape->name) + ": " + engine_->steward_detail());
        parts.push_back(*std::move(groups));
      }
    }
    return out;
  }

  void compare(const std::vector<std::vector<ExactGroups>>& before,
               const std::vector<std::vector<ExactGroups>>& after) {
    for (std::size_t p = 0; p < planned_.size(); ++p) {
      for (std::size_t i = 0; i < planned_[p].movements.size(); ++i) {
        const std::string why = planned_[p].movements[i].compare(before[p][i], after[p][i]);
        if (!why.empty()) RC_FAIL(std::string(planned_[p].shape->name) + ": " + why);
      }
    }
  }

  // A claim that nobody reaches may be slack by accident. The bounds of one group and one row are
  // reached by units that have more than enough of everything.
  void expect_reached(Remove remove) {
    const Database database = testing::fullest_town();
    const auto before = exact(database);
    for (const Database& other : without_one(database, remove)) compare(before, exact(other));
    for (const Planned& one : planned_) {
      if (one.plan.options.bounds.groups != 1) continue;
      for (const Movement& movement : one.movements) {
        for (std::size_t j = 0; j + 1 < movement.reached().size(); ++j) {
          EXPECT_TRUE(movement.reached()[j]) << one.shape->name << ", measure " << j;
        }
      }
    }
  }

  Schema schema_;
  std::optional<Engine> engine_;
  std::vector<Planned> planned_;
};

TEST_P(Sensitivity, IsWhatThePlansClaim) {
  const Remove remove = std::get<0>(GetParam());
  const Neighbours neighbours = std::get<1>(GetParam());
  if (neighbours == Neighbours::kAddRemove) expect_reached(remove);
  rc::detail::TestParams params = rc::detail::configuration().testParams;
  params.maxSuccess = kDatabases;
  const auto result = rc::detail::checkTestable(
      [&] {
        const Database database = *testing::some_town();
        const auto before = exact(database);
        const auto others = neighbours == Neighbours::kReplace
                                ? with_one_replaced(database, *testing::some_town(), remove)
                                : without_one(database, remove);
        for (const Database& other : others) compare(before, exact(other));
      },
      rc::detail::TestMetadata{}, params);
  std::ostringstream said;
  rc::detail::printResultMessage(result, said);
  ASSERT_TRUE(result.is<rc::detail::SuccessResult>()) << said.str();
}

std::string name_of(const ::testing::TestParamInfo<std::tuple<Remove, Neighbours>>& one) {
  constexpr std::array<const char*, 3> kNames{"person", "stay", "answer"};
  const auto [remove, neighbours] = one.param;
  return fmt::format("{}_{}", kNames.at(static_cast<std::size_t>(remove)),
                     neighbours == Neighbours::kReplace ? "replaced" : "removed");
}

INSTANTIATE_TEST_SUITE_P(
    Units, Sensitivity,
    ::testing::Combine(::testing::Values(Remove::kPerson, Remove::kStay, Remove::kAnswer),
                       ::testing::Values(Neighbours::kAddRemove, Neighbours::kReplace)),
    name_of);

}  // namespace
}  // namespace tacit::sql

#include "tacit/learn/naive_bayes.h"

#include <gmock/gmock.h>

#include <cmath>

#include "tacit/learn/presented.h"
#include "tacit/learn/testing/learn_test.h"
#include "tacit/privacy/pure.h"
#include "tacit/sql/exact_groups_internal.h"
#include "tacit/sql/testing/movement.h"

namespace tacit::learn {
namespace {

using testing::HasSubstr;

class NaiveBayesTest : public LearnTest {
 protected:
  // The sick have x about 6 and mostly the colour red, the well x about -2.
  void SetUp() override {
    LearnTest::SetUp();
    create(
        "SELECT i % 4 = 0 AS sick, (CASE WHEN i % 4 = 0 THEN 6 ELSE -2 END + (i * 7) % 5 - "
        "2)::DOUBLE AS x, CASE WHEN i % 4 = 0 AND i % 3 < 2 THEN 'red' ELSE 'blue' END AS colour, "
        "i AS person FROM range(6000) AS r(i)",
        {{"sick", kBooleanType},
         real("x", -10, 10),
         {.name = "colour",
          .type = kTextType,
          .values = {Cell(std::string("red")), Cell(std::string("blue"))}},
         {"person", kIntegerType}});
  }
  Result<NaiveBayesPlan> plan(NaiveBayesOptions options, const char* epsilon = "4") {
    return plan_naive_bayes(std::move(options), {.epsilon = *Rational::parse(epsilon)}, schema_,
                            *embedded_);
  }
};

TEST_F(NaiveBayesTest, LearnsNumbersAndCategories) {
  const auto planned = plan(
      {.rows = {.from = "people", .columns = {"x"}}, .categories = {"colour"}, .label = "sick"});
  ASSERT_TRUE(planned) << planned.error().message();
  EXPECT_EQ(pure_epsilon(planned->whole.cost), Rational(4));
  const double before = spent();
  const auto made = make_naive_bayes(*planned, asker(), place());
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_NEAR(spent() - before, 4, 1e-9);
  ASSERT_EQ(made->model.classes.size(), 2U);
  const BayesClass& well = made->model.classes[0];
  const BayesClass& sick = made->model.classes[1];
  EXPECT_EQ(sick.label, Cell(true));
  EXPECT_NEAR(sick.prior, 0.25, 0.02);
  EXPECT_NEAR(sick.numbers[0].mean, 6, 0.5);
  EXPECT_NEAR(well.numbers[0].mean, -2, 0.5);
  EXPECT_NEAR(well.numbers[0].deviation, std::sqrt(2), 0.7);
  const auto& values = made->model.categories[0].values;
  const std::size_t red = values[0] == Cell(std::string("red")) ? 0 : 1;
  EXPECT_NEAR(sick.categories[0][red], 2.0 / 3, 0.05);
  EXPECT_NEAR(well.categories[0][red], 0, 0.05);
  EXPECT_NEAR(sick.categories[0][0] + sick.categories[0][1], 1, 1e-12);
  EXPECT_TRUE(made->model.unseen.empty());

  const Presented shown = present(made->model, 0.95);
  EXPECT_EQ(shown.json["classes"][1]["label"], true);
  EXPECT_EQ(shown.json["categories"][0]["name"], "colour");
  EXPECT_EQ(shown.table.columns.size(), 4U);
}

TEST_F(NaiveBayesTest, CategoriesAloneWillDo) {
  const auto planned =
      plan({.rows = {.from = "people"}, .categories = {"colour"}, .label = "sick"});
  ASSERT_TRUE(planned) << planned.error().message();
  EXPECT_TRUE(make_naive_bayes(*planned, asker(), place()));
}

TEST_F(NaiveBayesTest, RefusesBeforeAnythingIsCharged) {
  const auto before = entries();
  const auto refusal = [&](NaiveBayesOptions options) {
    const auto planned = plan(std::move(options));
    EXPECT_FALSE(planned);
    return planned ? std::string() : planned.error().message();
  };
  const Rows rows{.from = "people", .columns = {"x"}};
  EXPECT_THAT(refusal({.rows = rows}), HasSubstr("--label"));
  EXPECT_THAT(refusal({.rows = {.from = "people"}, .label = "sick"}), HasSubstr("--columns"));
  EXPECT_THAT(refusal({.rows = rows, .label = "person"}), HasSubstr("'person' are not known"));
  EXPECT_THAT(refusal({.rows = rows, .categories = {"person"}, .label = "sick"}),
              HasSubstr("--categories"));
  EXPECT_THAT(refusal({.rows = rows, .label = "nothing"}), HasSubstr("nothing"));
  EXPECT_EQ(entries(), before);
}

// Removes people, who have 30 rows each, one after another and holds the change of every sum to
// what the noise was made for; and some of the sums do change by that much.
TEST_F(NaiveBayesTest, NobodyMovesASumByMoreThanClaimed) {
  ASSERT_TRUE(engine_->execute("UPDATE people SET person = person % 200"));
  schema_.tables.front().unit = {.kind = Unit::Kind::kColumns, .columns = {"person"}};
  const auto planned = plan_naive_bayes(
      {.rows = {.from = "people", .columns = {"x"}}, .categories = {"colour"}, .label = "sick"},
      {.epsilon = Rational(1), .bounds = {.groups = 1, .rows_per_group = 2}}, schema_, *embedded_);
  ASSERT_TRUE(planned) << planned.error().message();
  const auto exact = [&](std::size_t question) {
    return *sql::exact_groups(planned->whole.query.aggregations[question],
                              planned->whole.aggregations[question], *engine_, "secret");
  };
  for (std::size_t question = 0; question < 2; ++question) {
    sql::testing::Movement movement(planned->whole.aggregations[question], Neighbours::kAddRemove);
    sql::ExactGroups before = exact(question);
    for (int person = 10 * static_cast<int>(question);
         person < 10 + 10 * static_cast<int>(question); ++person) {
      ASSERT_TRUE(engine_->execute("DELETE FROM people WHERE person = " + std::to_string(person)));
      sql::ExactGroups after = exact(question);
      EXPECT_EQ(movement.compare(before, after), "");
      before = std::move(after);
    }
    EXPECT_TRUE(movement.reached().front());
  }
}

}  // namespace
}  // namespace tacit::learn

#include <gmock/gmock.h>

#include "tacit/learn/presented.h"

namespace tacit::learn {
namespace {

using testing::HasSubstr;

LogisticScore score() {
  return {.intercept = {.value = -1, .half_width = 0.5},
          .slopes = {{.value = 0.02, .half_width = 0.01}},
          .effects = {{{.value = 0.1, .half_width = 0.2}, {.value = -0.1, .half_width = 0.2}}}};
}

LogisticModel model() {
  return {.features = {{.name = "age", .sql = "age", .lower = 0, .upper = 100}},
          .categories = {{.name = "sex",
                          .type = kTextType,
                          .values = {Cell(std::string("f")), Cell(std::string("m"))}}},
          .label = {.name = "sick", .type = kBooleanType, .values = {Cell(false), Cell(true)}},
          .scores = {score()},
          .rows = 1000};
}

TEST(LogisticPresented, HasATermForEachNumberAndValue) {
  const Presented shown = present(model(), 0.95);
  EXPECT_EQ(shown.table.rows(), 4U);
  EXPECT_EQ(shown.table.columns[0].values[3], Cell(std::string("sex = m")));
  EXPECT_EQ(shown.json["kind"], "logistic");
  EXPECT_EQ(shown.json["label"]["one"], true);
  EXPECT_EQ(shown.json["categories"][0]["effects"][1]["of"], "m");
  EXPECT_EQ(shown.json["slopes"][0]["half_width"], 0.01);
  EXPECT_THAT(shown.remarks.front(), HasSubstr("sick = true"));
}

TEST(LogisticPresented, HasThemForEachOfManyClasses) {
  LogisticModel many = model();
  many.label = {.name = "grade",
                .type = kIntegerType,
                .values = {Cell(int128{1}), Cell(int128{2}), Cell(int128{3})}};
  many.scores = {score(), score(), score()};
  const Presented shown = present(many, 0.95);
  EXPECT_EQ(shown.table.rows(), 12U);
  EXPECT_EQ(shown.table.columns[0].values[4], Cell(std::string("2")));
  EXPECT_EQ(shown.table.columns[1].values[4], Cell(std::string("(intercept)")));
  EXPECT_EQ(shown.json["label"]["values"], sql::Json({1, 2, 3}));
  EXPECT_EQ(shown.json["scores"][2]["of"], 3);
  EXPECT_EQ(shown.json["scores"][2]["slopes"][0]["feature"], "age");
  EXPECT_EQ(shown.json["scores"][0]["categories"][0]["effects"][1]["of"], "m");
  EXPECT_EQ(shown.json["categories"][0]["values"], sql::Json({"f", "m"}));
  EXPECT_FALSE(shown.json.contains("intercept"));
}

TEST(LogisticPresented, SaysWhereNoiseIsAll) {
  LogisticModel drowned = model();
  drowned.drowned = true;
  EXPECT_THAT(present(drowned, 0.95).remarks, testing::Contains(HasSubstr("says nothing")));
}

}  // namespace
}  // namespace tacit::learn

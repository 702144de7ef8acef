#include <gmock/gmock.h>

#include "tacit/learn/presented.h"

namespace tacit::learn {
namespace {

using testing::HasSubstr;

LogisticModel model() {
  return {.features = {{.name = "age", .sql = "age", .lower = 0, .upper = 100}},
          .categories = {{.name = "sex",
                          .type = kTextType,
                          .values = {Cell(std::string("f")), Cell(std::string("m"))}}},
          .label = {.name = "sick", .type = kBooleanType, .values = {Cell(false), Cell(true)}},
          .intercept = {.value = -1, .half_width = 0.5},
          .slopes = {{.value = 0.02, .half_width = 0.01}},
          .effects = {{{.value = 0.1, .half_width = 0.2}, {.value = -0.1, .half_width = 0.2}}},
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

TEST(LogisticPresented, SaysWhereNoiseIsAll) {
  LogisticModel drowned = model();
  drowned.drowned = true;
  EXPECT_THAT(present(drowned, 0.95).remarks, testing::Contains(HasSubstr("says nothing")));
}

}  // namespace
}  // namespace tacit::learn

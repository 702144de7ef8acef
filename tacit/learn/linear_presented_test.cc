#include <gmock/gmock.h>

#include "tacit/learn/presented.h"

namespace tacit::learn {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

LinearModel line() {
  LinearModel out;
  out.features = {{.name = "age", .sql = "age", .lower = 0, .upper = 100}};
  out.target = {.name = "income", .sql = "income", .lower = 0, .upper = 10};
  out.intercept = {.value = 1, .half_width = 0.5};
  out.slopes = {{.value = 0.1, .half_width = 0.01}};
  out.rows = 500;
  return out;
}

TEST(LinearPresented, HasATermForEachColumnAndTheIntercept) {
  const Presented shown = present(line(), 0.95);
  EXPECT_EQ(shown.table.rows(), 2U);
  EXPECT_EQ(shown.json["slopes"][0]["feature"], "age");
  EXPECT_EQ(shown.json["target"]["name"], "income");
  EXPECT_THAT(shown.remarks, Not(Contains(HasSubstr("ridge"))));
}

TEST(LinearPresented, SaysWhatNumbersDoNotShow) {
  LinearModel model = line();
  model.ridge = 0.25;
  const Presented shown = present(model, 0.95);
  EXPECT_THAT(shown.remarks, Contains(HasSubstr("ridge of 0.25")));
}

}  // namespace
}  // namespace tacit::learn

#include <gmock/gmock.h>

#include "tacit/learn/presented.h"

namespace tacit::learn {
namespace {

using testing::Contains;
using testing::HasSubstr;

TEST(BayesPresented, HasARowForEachClass) {
  const NaiveBayesModel model{
      .features = {{.name = "x", .sql = "x", .lower = 0, .upper = 1}},
      .label = "sick",
      .label_type = kBooleanType,
      .categories = {{.name = "colour", .type = kTextType, .values = {Cell(std::string("red"))}}},
      .classes = {{.label = Cell(false),
                   .size = 3,
                   .prior = 0.75,
                   .numbers = {{.mean = 0.5}},
                   .categories = {{1}}},
                  {.label = Cell(true),
                   .size = 1,
                   .prior = 0.25,
                   .numbers = {{.mean = 0.2}},
                   .categories = {{1}}}},
      .unseen = {1}};
  const Presented shown = present(model, 0.95);
  EXPECT_EQ(shown.table.rows(), 2U);
  EXPECT_EQ(shown.json["classes"][1]["label"], true);
  EXPECT_EQ(shown.json["categories"][0]["values"][0], "red");
  EXPECT_THAT(shown.remarks, Contains(HasSubstr("Of 1 of the classes")));
}

}  // namespace
}  // namespace tacit::learn

#include <gmock/gmock.h>

#include "tacit/learn/presented.h"

namespace tacit::learn {
namespace {

using testing::Contains;
using testing::HasSubstr;

TEST(ComponentsPresented, NamesComponentsThatMayBeNoise) {
  PrincipalComponents model;
  model.features = {{.name = "a", .sql = "a", .lower = 0, .upper = 1},
                    {.name = "b", .sql = "b", .lower = 0, .upper = 1}};
  model.means = {0.5, 0.5};
  model.mean_half_widths = {0.1, 0.1};
  model.covariance = SymmetricMatrix(2);
  model.components = {{.direction = {1, 0}, .variance = 3, .share = 0.75},
                      {.direction = {0, 1}, .variance = 1, .share = 0.25}};
  model.noise_floor = 2;
  const Presented shown = present(model, 0.95);
  EXPECT_EQ(shown.table.rows(), 2U);
  EXPECT_EQ(shown.json["components"][0]["share"], 0.75);
  EXPECT_THAT(shown.remarks, Contains(HasSubstr("1 of the components has no more variance")));
}

}  // namespace
}  // namespace tacit::learn

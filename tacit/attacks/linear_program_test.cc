#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tacit/attacks/linear_program_internal.h"

namespace tacit::attacks {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// -x - 2 y is least at x = 1, y = 3: there one more in the first row gives another x, and one more
// in the second a y for an x. The third row binds nothing.
LinearProgram two_variables() {
  return {.variables = {{.cost = -1,
                         .lower = 0,
                         .upper = 10,
                         .entries = {{.row = 0, .value = 1}, {.row = 2, .value = 1}}},
                        {.cost = -2,
                         .lower = 0,
                         .upper = 10,
                         .entries = {{.row = 0, .value = 1}, {.row = 1, .value = 1}}}},
          .row_upper = {4, 3, 100}};
}

TEST(LinearProgram, TellsHowFastTheCostFalls) {
  const auto dual = two_variables().solve_dual();
  ASSERT_TRUE(dual) << dual.error().message();
  EXPECT_THAT(*dual, ElementsAre(DoubleNear(1, 1e-9), DoubleNear(1, 1e-9), DoubleNear(0, 1e-9)));
}

TEST(LinearProgram, WeighsRowsByTheirEntries) {
  LinearProgram program = two_variables();
  program.variables[0].entries[0].value = 4;  // 4 x + y <= 4
  const auto dual = program.solve_dual();
  ASSERT_TRUE(dual) << dual.error().message();
  EXPECT_THAT(*dual,
              ElementsAre(DoubleNear(0.25, 1e-9), DoubleNear(1.75, 1e-9), DoubleNear(0, 1e-9)));
}

TEST(LinearProgram, RowsBoundNothingWhereVariablesDo) {
  LinearProgram program = two_variables();
  program.variables[0].upper = 0.5;
  program.variables[1].upper = 2;
  const auto dual = program.solve_dual();
  ASSERT_TRUE(dual) << dual.error().message();
  EXPECT_THAT(*dual, ElementsAre(DoubleNear(0, 1e-9), DoubleNear(0, 1e-9), DoubleNear(0, 1e-9)));
}

TEST(LinearProgram, SaysWhatHasNoSolution) {
  LinearProgram contradiction = two_variables();
  contradiction.variables[1].lower = 5;  // and at most 3
  const auto none = contradiction.solve_dual();
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, ErrorKind::kWorld);
  EXPECT_THAT(none.error().message(), HasSubstr("not solved"));
  LinearProgram endless = two_variables();
  endless.variables.push_back({.cost = -1, .lower = 0, .upper = LinearProgram::kUnbounded});
  EXPECT_FALSE(endless.solve_dual());
}

}  // namespace
}  // namespace tacit::attacks

#include "cli/training/step_bar.h"

#include <gtest/gtest.h>

namespace tacit::training {
namespace {

TEST(StepBar, FitsTheScreen) {
  const StepFacts large{.done = 123'456,
                        .all = 1'000'000,
                        .epsilon = 12.345,
                        .seconds_left = 119.4,
                        .accuracy = 0.98765};
  const std::string line = step_line(large, 79);
  EXPECT_LE(line.size(), 79U);
  EXPECT_TRUE(line.ends_with("step 123456/1000000, epsilon 12.3, 119 s left, 98.8% right")) << line;
  EXPECT_EQ(step_line(large, 200).find(']'), 21U) << "twenty cells where there is room";
  EXPECT_EQ(step_line(large, 60).find('['), std::string::npos) << "the bar goes first";
  EXPECT_EQ(step_line(large, 10), "step 12345");
}

TEST(StepBar, CountsLongTimesInMinutesAndHours) {
  EXPECT_EQ(step_line({.done = 1, .all = 2, .epsilon = 1, .seconds_left = 600}, 79),
            "[##########..........] step 1/2, epsilon 1, 10 min left");
  EXPECT_EQ(step_line({.done = 2, .all = 2, .epsilon = 1, .seconds_left = 9000}, 79),
            "[####################] step 2/2, epsilon 1, 2.5 h left");
}

}  // namespace
}  // namespace tacit::training

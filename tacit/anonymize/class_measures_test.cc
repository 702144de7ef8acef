// Values computed by hand on eight rows; see testing/letters.h.
#include <gtest/gtest.h>

#include <cmath>

#include "tacit/anonymize/measure.h"
#include "tacit/anonymize/testing/letters.h"

namespace tacit::anonymize {
namespace {

class ClassMeasures : public ::testing::Test {
 protected:
  testing::Letters table_;
};

TEST_F(ClassMeasures, DiscernibilityIsASumOfSquares) {
  const auto squares = discernibility_measure(table_.records(), table_.hierarchies());
  EXPECT_EQ(table_.score(*squares, {0, 0}, 1), 16 + 4 + 1 + 1);
  EXPECT_EQ(table_.score(*squares, {1, 0}, 1), 36 + 4);
  EXPECT_EQ(table_.score(*squares, {1, 0}, 3), 36 + 4);
  const auto lost =
      discernibility_measure(table_.records(), table_.hierarchies(), Suppressed::kAsLost);
  EXPECT_EQ(table_.score(*lost, {1, 0}, 1), 36 + 4);
  EXPECT_EQ(table_.score(*lost, {1, 0}, 3), 36 + (8 * 2));
}

TEST_F(ClassMeasures, AverageClassCountsSuppressedRowsAsOneClass) {
  const auto average = average_class_measure(table_.records(), table_.hierarchies());
  EXPECT_EQ(table_.score(*average, {0, 0}, 1), 2);
  EXPECT_EQ(table_.score(*average, {0, 0}, 2), 8. / 3);
  EXPECT_EQ(table_.score(*average, {2, 1}, 1), 8);
}

// Shares are 1/2, 1/4, 1/8, 1/8 of eight combinations of leaves.
TEST_F(ClassMeasures, DivergenceIsFromClassesSpreadEvenly) {
  const auto divergence = divergence_measure(table_.records(), table_.hierarchies());
  EXPECT_NEAR(table_.score(*divergence, {0, 0}, 1), 0, 1e-12);
  // a and b get 3/8 each, c and d 1/8 as they had.
  EXPECT_NEAR(table_.score(*divergence, {1, 0}, 1),
              (0.5 * std::log2(0.5 / 0.375)) + (0.25 * std::log2(0.25 / 0.375)), 1e-12);
  // All of eight combinations alike: 3 bits less the entropy of 1.75.
  EXPECT_NEAR(table_.score(*divergence, {2, 1}, 1), 1.25, 1e-12);
  // c and d are spread over all eight, 1/32 each, also over a and b.
  EXPECT_NEAR(table_.score(*divergence, {0, 0}, 2),
              (0.5 * std::log2(0.5 / (0.5 + 1. / 32))) +
                  (0.25 * std::log2(0.25 / (0.25 + 1. / 32))) + (2 * 0.125 * std::log2(0.125 * 32)),
              1e-12);
}

}  // namespace
}  // namespace tacit::anonymize

#include "tacit/anonymize/risk.h"

#include <gtest/gtest.h>

#include <vector>

namespace tacit::anonymize {
namespace {

TEST(Risk, OfClasses) {
  const ReidentificationRisk risk =
      reidentification_risk(std::vector<std::uint64_t>{1, 4, 0, 5, 10});
  EXPECT_EQ(risk.rows, 20U);
  EXPECT_EQ(risk.classes, 4U);
  EXPECT_EQ(risk.smallest, 1U);
  EXPECT_EQ(risk.largest, 10U);
  EXPECT_EQ(risk.unique, 1U);
  EXPECT_DOUBLE_EQ(risk.highest(), 1);
  EXPECT_DOUBLE_EQ(risk.average(), 0.2);
  EXPECT_DOUBLE_EQ(risk.marketer(), 0.2);
  EXPECT_DOUBLE_EQ(risk.average_class(), 5);
}

TEST(Risk, OfNothing) {
  const ReidentificationRisk risk = reidentification_risk({});
  EXPECT_EQ(risk.highest(), 0);
  EXPECT_EQ(risk.average(), 0);
  EXPECT_EQ(risk.average_class(), 0);
}

}  // namespace
}  // namespace tacit::anonymize

#include "tacit/anonymize/report/disclosure.h"

#include <gtest/gtest.h>

#include <array>
#include <utility>

namespace tacit::anonymize {
namespace {

// Four rows that all have value 0; six rows with values 0, 1 and 2, three of them 1.
Records two_classes() {
  RecordsBuilder builder(1, 2);
  builder.add(std::array{0U}, std::array{0U, 0U}, 4);
  builder.add(std::array{1U}, std::array{0U, 1U}, 2);
  builder.add(std::array{1U}, std::array{1U, 0U}, 3);
  builder.add(std::array{1U}, std::array{2U, 1U}, 1);
  return std::move(builder).build();
}

TEST(Disclosure, OfEachSensitiveColumn) {
  const auto found = disclosures(two_classes());
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].rows, 10U);
  EXPECT_EQ(found[0].certain, 4U);
  EXPECT_DOUBLE_EQ(found[0].average, 0.7);  // 4 of 4 and 3 of 6
  EXPECT_DOUBLE_EQ(found[0].highest, 1);
  EXPECT_DOUBLE_EQ(found[0].baseline, 0.6);  // value 0
  EXPECT_DOUBLE_EQ(found[1].average, 0.7);
  EXPECT_DOUBLE_EQ(found[1].baseline, 0.7);
}

TEST(Disclosure, OfNothing) {
  RecordsBuilder builder(1, 1);
  const auto found = disclosures(std::move(builder).build());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].average, 0);
  EXPECT_EQ(found[0].baseline, 0);
}

}  // namespace
}  // namespace tacit::anonymize

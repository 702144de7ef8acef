#include "tacit/anonymize/criteria/k_anonymity.h"

#include <gtest/gtest.h>

namespace tacit::anonymize {
namespace {

TEST(KAnonymity, AsksForSoManyRows) {
  const auto five = k_anonymity(5);
  EXPECT_TRUE(five->holds({.rows = 5}));
  EXPECT_FALSE(five->holds({.rows = 4}));
  EXPECT_TRUE(five->is_hopeless({.rows = 4}));
  EXPECT_EQ(five->least_rows(), 5U);
  EXPECT_TRUE(five->is_size_alone());
  EXPECT_FALSE(five->needs_histograms());
  EXPECT_EQ(five->merging(), Merging::kAbsorbs);
}

}  // namespace
}  // namespace tacit::anonymize

#include "tacit/anonymize/criteria/delta_disclosure.h"

#include <gtest/gtest.h>

#include "tacit/anonymize/testing/one_class.h"
#include "tacit/anonymize/testing/sensitive_rows.h"

namespace tacit::anonymize {
namespace {

using testing::OneClass;

TEST(DeltaDisclosure, KeepsEveryShareWithinAFactor) {
  const Records records = testing::sensitive_rows({2, 1, 1});
  const auto one = delta_disclosure(records, 0, 1);
  EXPECT_TRUE(one->holds(OneClass({10, 3, 3}).view()));
  EXPECT_FALSE(one->holds(OneClass({1, 1, 2}).view()));  // 1/2 against 1/4: the bound itself
  EXPECT_FALSE(one->holds(OneClass({2, 3, 4}).view()));  // 2/9 against 1/2
  // A value that is missing would be a logarithm of 0.
  EXPECT_FALSE(one->holds(OneClass({3, 2, 0}).view()));
  EXPECT_TRUE(one->is_hopeless(OneClass({3, 2, 0}).view()));
  EXPECT_FALSE(one->is_hopeless(OneClass({1, 1, 9}).view()));
}

}  // namespace
}  // namespace tacit::anonymize

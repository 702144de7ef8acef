#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tacit/anonymize/criteria/alpha_beta.h"
#include "tacit/anonymize/pram_internal.h"

namespace tacit::anonymize {
namespace {

using ::testing::HasSubstr;

// The matrix that the rule means, value by value.
std::vector<std::vector<double>> matrix(const rule::Pram& rule,
                                        const std::vector<std::uint64_t>& rows) {
  double all = 0;
  for (const std::uint64_t count : rows) all += static_cast<double>(count);
  const double p = rule.probability.approximate();
  std::vector<std::vector<double>> out(rows.size(), std::vector<double>(rows.size()));
  for (std::size_t x = 0; x < rows.size(); ++x) {
    for (std::size_t y = 0; y < rows.size(); ++y) {
      const double share = rule.invariant ? static_cast<double>(rows[y]) / all
                                          : 1 / static_cast<double>(rows.size());
      out[x][y] = (x == y ? 1 - p : 0) + (p * share);
    }
  }
  return out;
}

// Two rows and columns tell the same as the whole matrix.
TEST(Pram, IsJudgedAsItsWholeMatrix) {
  const std::vector<std::uint64_t> rows{50, 30, 15, 5};
  int safe = 0;
  for (int percent = 1; percent <= 100; ++percent) {
    for (const bool invariant : {false, true}) {
      const rule::Pram rule{.probability = Rational::ratio(percent, 100).value(),
                            .invariant = invariant,
                            .bounds = rule::Pram::Bounds{.alpha = Rational::ratio(1, 10).value(),
                                                         .beta = Rational::ratio(1, 2).value()}};
      const bool is_safe = is_amplification_safe(matrix(rule, rows), 0.1, 0.5);
      EXPECT_EQ(check_amplification(rule, rows, "c", "p.toml:1").has_value(), is_safe) << percent;
      safe += is_safe ? 1 : 0;
    }
  }
  EXPECT_GT(safe, 20);
  EXPECT_LT(safe, 180);
}

TEST(Pram, SaysWhichProbabilityWouldDo) {
  const std::vector<std::uint64_t> rows{1, 1, 1};
  rule::Pram rule{.probability = Rational::ratio(1, 10).value(),
                  .bounds = rule::Pram::Bounds{.alpha = Rational::ratio(1, 10).value(),
                                               .beta = Rational::ratio(1, 2).value()}};
  const auto refused = check_amplification(rule, rows, "c", "p.toml:1");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("probability = 0.2728"));
  rule.probability = Rational::ratio(2728, 10000).value();
  EXPECT_TRUE(check_amplification(rule, rows, "c", "p.toml:1"));
  // Nothing was asked for; and one value tells nothing.
  EXPECT_TRUE(check_amplification({.probability = 1}, rows, "c", "p.toml:1"));
  EXPECT_TRUE(check_amplification(rule, std::vector<std::uint64_t>{7}, "c", "p.toml:1"));
}

}  // namespace
}  // namespace tacit::anonymize

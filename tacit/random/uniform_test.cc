#include "tacit/random/uniform.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "tacit/random/testing/decision_tree.h"
#include "tacit/random/testing/goodness_of_fit.h"
#include "tacit/random/uniform_internal.h"

namespace tacit {
namespace {

// Words of six bits: every n, every word. All values equally likely, none beyond.
TEST(Uniform, EveryValueIsEquallyLikely) {
  for (std::uint64_t n = 1; n <= 64; ++n) {
    const auto sample = [n](auto& source) { return uniform_below_n(source, n); };
    const auto found = testing::enumerate<6, std::uint64_t>(sample, 2);
    ASSERT_EQ(found.mass.size(), n);
    for (const auto& [value, mass] : found.mass) {
      EXPECT_LT(value, n);
      EXPECT_EQ(mass, found.mass.at(0));
    }
    // What is open was refused twice.
    EXPECT_EQ(found.open * 64 * 64, (64 % n) * (64 % n));
  }
}

TEST(Uniform, FullRange) {
  auto stream = SecureStream::create().value();
  EXPECT_EQ(sample_uniform_below(stream, 0), 0U);
  EXPECT_EQ(sample_uniform_below(stream, 1), 0U);
  std::vector<std::uint64_t> values(1000);
  fill_uniform_below(stream, ~std::uint64_t{0}, values);
  EXPECT_EQ(std::set(values.begin(), values.end()).size(), values.size());
}

TEST(Uniform, VectorsHaveTheFrequencies) {
  auto stream = SecureStream::create().value();
  std::vector<std::uint64_t> values(100000);
  fill_uniform_below(stream, 7, values);
  std::vector<std::uint64_t> counts(7);
  for (const std::uint64_t value : values) ++counts.at(value);
  EXPECT_TRUE(testing::fits(counts, std::vector<double>(7, 1.0 / 7)));
  std::vector<double> skewed(7, 1.0 / 7);
  skewed[0] *= 0.9;
  skewed[6] *= 1.1;
  EXPECT_FALSE(testing::fits(counts, skewed));
}

}  // namespace
}  // namespace tacit

#include "tacit/random/samplers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace tacit {
namespace {

double second_moment(const std::vector<std::int64_t>& values) {
  double sum = 0;
  for (const std::int64_t value : values) sum += std::pow(static_cast<double>(value), 2);
  return sum / static_cast<double>(values.size());
}

TEST(Samplers, VariancesAreThoseOfTheLaw) {
  auto stream = SecureStream::create().value();
  std::vector<std::int64_t> values(100000);
  DiscreteLaplace::create(10).value().fill(stream, values);
  EXPECT_NEAR(second_moment(values) / 199.8334, 1, 0.05);
  DiscreteGaussian::create(1).value().fill(stream, values);
  EXPECT_NEAR(second_moment(values), 1, 0.03);
  DiscreteGaussian::create(Rational::power_of_two(80)).value().fill(stream, values);
  EXPECT_NEAR(second_moment(values) / std::ldexp(1.0, 80), 1, 0.03);
  Geometric::create(3).value().fill(stream, values);
  const double q = std::exp(-1.0 / 3);
  EXPECT_NEAR(second_moment(values) / (q * (1 + q) / std::pow(1 - q, 2)), 1, 0.05);
}

}  // namespace
}  // namespace tacit

#include "tacit/random/parameter_internal.h"

#include <gtest/gtest.h>

#include "tacit/random/samplers.h"

namespace tacit {
namespace {

template <class T>
void expect_refused(const Result<T>& result, const std::string& word) {
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().kind, ErrorKind::kBadInput);
  EXPECT_NE(result.error().message().find(word), std::string::npos) << result.error().message();
}

TEST(Parameter, RefusesWhatHasNoMeaning) {
  expect_refused(DiscreteLaplace::create(0), "above 0");
  expect_refused(DiscreteLaplace::create(-1), "above 0");
  expect_refused(DiscreteGaussian::create(0), "variance");
  expect_refused(Geometric::create(Rational::power_of_two(41)), "2^40");
  expect_refused(DiscreteLaplace::create(Rational::power_of_two(-31)), "2^-30");
  expect_refused(DiscreteGaussian::create(Rational::power_of_two(81)), "2^80");
  expect_refused(DiscreteGaussian::create(Rational::power_of_two(-61)), "2^-60");
  const Rational long_number = 1 + Rational::power_of_two(-20000);
  expect_refused(DiscreteLaplace::create(long_number), "16384 bits");
}

TEST(Parameter, AcceptsTheEndsOfTheRange) {
  EXPECT_TRUE(DiscreteLaplace::create(Rational::power_of_two(-30)).has_value());
  EXPECT_TRUE(DiscreteLaplace::create(Rational::power_of_two(40)).has_value());
  EXPECT_TRUE(DiscreteGaussian::create(Rational::power_of_two(-60)).has_value());
  EXPECT_TRUE(DiscreteGaussian::create(Rational::power_of_two(80)).has_value());
  EXPECT_TRUE(DiscreteGaussian::create(1 + Rational::power_of_two(-16000)).has_value());
}

}  // namespace
}  // namespace tacit

// What a device computes of norms, by the same text on the processor.
#include "tacit/train/device_norms_kernel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tacit::train {
namespace {

using tacit_device::factor_of;
using tacit_device::is_finite;
using tacit_device::Limit;

constexpr double kSmallestFactor = 0x1p-100;

// Squares of all sizes that there are, denormal ones too.
template <class Body>
void for_squares(Body body) {
  for (double square = std::numeric_limits<double>::denorm_min(); is_finite(square);
       square *= 1.37) {
    body(square);
    // A third more of the smallest number is that number again.
    square = std::nextafter(square, std::numeric_limits<double>::infinity());
  }
  body(std::numeric_limits<double>::max());
}

long double reference(double square, const Limit& limit) {
  const long double norm = std::sqrt(static_cast<long double>(square));
  const long double factor = limit.bound / (norm + limit.stability);
  return limit.stability == 0 && factor > limit.largest ? limit.largest : factor;
}

class Factors : public ::testing::TestWithParam<Limit> {};

TEST_P(Factors, AreThoseOfExactArithmetic) {
  const Limit limit = GetParam();
  for_squares([&](double square) {
    const double factor = factor_of(square, limit);
    const long double wanted = reference(square, limit);
    if (factor == 0) {
      EXPECT_LT(wanted, kSmallestFactor * (1 + 1e-12L)) << square;
      return;
    }
    EXPECT_GE(factor, kSmallestFactor) << square;
    EXPECT_NEAR(static_cast<double>(factor / wanted), 1, 1e-15) << square;
  });
}

TEST_P(Factors, KeepTheBound) {
  const Limit limit = GetParam();
  for_squares([&](double square) {
    const long double norm = std::sqrt(static_cast<long double>(square));
    EXPECT_LE(norm * factor_of(square, limit), limit.bound * (1 + 0x1p-50L)) << square;
  });
}

TEST_P(Factors, OfZeroAreTheLargest) {
  const Limit limit = GetParam();
  const double largest = limit.stability > 0 ? limit.bound / limit.stability : limit.largest;
  EXPECT_EQ(factor_of(0, limit), largest);
}

INSTANTIATE_TEST_SUITE_P(Limits, Factors,
                         ::testing::Values(Limit{.bound = 1, .largest = 1, .stability = 0},
                                           Limit{.bound = 2.5, .largest = 0.25, .stability = 0},
                                           Limit{.bound = 1e-6, .largest = 4, .stability = 0},
                                           Limit{.bound = 1, .largest = 1, .stability = 0.01},
                                           Limit{.bound = 300, .largest = 1, .stability = 0.01}));

TEST(DeviceNumbers, AreFiniteOrNot) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(is_finite(std::numeric_limits<double>::max()));
  EXPECT_TRUE(is_finite(-std::numeric_limits<double>::max()));
  EXPECT_FALSE(is_finite(kInfinity));
  EXPECT_FALSE(is_finite(-kInfinity));
  EXPECT_FALSE(is_finite(std::nan("")));
}

}  // namespace
}  // namespace tacit::train

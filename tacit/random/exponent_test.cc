#include "tacit/random/exponent_internal.h"

#include <gtest/gtest.h>

#include <vector>

#include "tacit/random/testing/deterministic_stream.h"

namespace tacit {
namespace {

using testing::DeterministicStream;

mpq_class power_of_two(int exponent) {
  const mpz_class power = mpz_class(1) << static_cast<unsigned>(std::abs(exponent));
  return exponent < 0 ? mpq_class(1, power) : mpq_class(power);
}

std::vector<mpq_class> scales() {
  std::vector<mpq_class> list = {mpq_class(22, 7), mpq_class(1, 3), mpq_class(7, 5),
                                 mpq_class(1000003, 17), power_of_two(40) - mpq_class(1, 3)};
  for (int k = -30; k <= 40; k += 5) list.push_back(power_of_two(k));
  return list;
}

// Magnitudes of all sizes up to well beyond the end of the exponent's range.
template <class Exponent>
void expect_fixed_is_near_exact(const Exponent& exponent, const mpq_class& scale) {
  DeterministicStream random(3);
  const mpq_class unit = power_of_two(-kExponentBits);
  const mpz_class span = mpz_class(50 * scale) + 3;
  for (int i = 0; i < 1000; ++i) {
    const mpz_class drawn = (to_mpz(random.next()) * span) >> (64 + random.next() % 20);
    const std::uint64_t m = i < 4 ? static_cast<std::uint64_t>(i) : to_word(drawn);
    const mpq_class exact = exponent.exact(m);
    const std::uint64_t fixed = exponent.fixed(m);
    if (fixed == kExponentEnd) {
      EXPECT_GE(exact + kExponentSlack * unit, 44);
    } else {
      EXPECT_LE(abs(exact - to_mpz(fixed) * unit), kExponentSlack * unit) << scale << " " << m;
    }
  }
}

TEST(Exponent, LinearFixedPointIsNearTheExactValue) {
  for (const mpq_class& scale : scales()) expect_fixed_is_near_exact(LinearExponent(scale), scale);
}

TEST(Exponent, QuadraticFixedPointIsNearTheExactValue) {
  for (const mpq_class& sigma : scales()) {
    const mpq_class variance = sigma * sigma;
    expect_fixed_is_near_exact(QuadraticExponent(variance, 0), sigma);
    expect_fixed_is_near_exact(QuadraticExponent(variance, sigma * mpq_class(9, 10)), sigma);
    expect_fixed_is_near_exact(QuadraticExponent(mpq_class(3, 5) * variance, sigma / 7), sigma);
  }
}

TEST(Exponent, NearBeginsASearchCloseToItsEnd) {
  constexpr std::uint64_t kFive = std::uint64_t{5} << kExponentBits;
  for (const mpq_class& scale : scales()) {
    const LinearExponent linear(scale);
    const QuadraticExponent quadratic(scale * scale, 0);
    EXPECT_LE(linear.exact(linear.near(kFive)), 5);
    EXPECT_GT(linear.exact(linear.near(kFive) + 2), 5);
    EXPECT_LE(quadratic.exact(quadratic.near(kFive)), 5);
    EXPECT_GT(quadratic.exact(quadratic.near(kFive) + 2), 5);
  }
}

TEST(Exponent, TheTailFactorsAsStated) {
  for (const mpq_class& scale : scales()) {
    const LinearExponent linear(scale);
    const QuadraticExponent quadratic(scale * scale, 0);
    EXPECT_EQ(linear.exact(12), linear.exact(5) + 7 * linear.slope(5));
    EXPECT_EQ(quadratic.exact(12),
              quadratic.exact(5) + 7 * quadratic.slope(5) + quadratic.exact(7));
  }
}

}  // namespace
}  // namespace tacit

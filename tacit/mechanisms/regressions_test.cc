// Breaks that were found in other differential-privacy libraries, or in the textbook way of doing
// things, each as a test: first that the naive way is broken, then that this one is not.
//
// Sources, cited at the tests: Mironov 2012 ("On significance of the least significant bits for
// differential privacy"); Casacuberta, Shoemate, Vadhan, Wagaman 2022 ("Widespread underestimation
// of sensitivity in differentially private libraries and how to fix it"); Haney, Desfontaines,
// Hartman, Shrestha, Hay 2022 ("Precision-based attacks and interval refining"); Jin, McMurtry,
// Rubinstein, Ohrimenko 2022 ("Are we there yet? Timing and floating-point attacks on differential
// privacy systems"). The attack on least bits has a file of its own.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>
#include <numeric>
#include <random>
#include <type_traits>
#include <vector>

#include "tacit/mechanisms/additive_internal.h"
#include "tacit/mechanisms/statistics/histogram.h"
#include "tacit/mechanisms/statistics/mean.h"
#include "tacit/mechanisms/statistics/sum.h"
#include "tacit/mechanisms/statistics/sums.h"
#include "tacit/mechanisms/statistics/variance.h"
#include "tacit/privacy/pure.h"
#include "tacit/privacy/testing/permit_for_tests.h"
#include "tacit/random/testing/deterministic_stream.h"

namespace tacit {
namespace {

Rational number(const char* text) { return *Rational::parse(text); }

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr Contribution kReplaceFixed{Neighbours::kReplace, 1, true};

ColumnParameters column(const char* lower, const char* upper, Contribution contribution = {}) {
  return {.lower = number(lower),
          .upper = number(upper),
          .contribution = contribution,
          .target = PureTarget{1}};
}

// The most that the noise of a sum or a public-count mean was scaled to, in steps.
int128 charged_steps(const Cost& cost) {
  return std::get<cost::DiscreteLaplace>(cost.node()).sensitivity;
}

int128 distance(int128 a, int128 b) { return a < b ? b - a : a - b; }

// A mean of n rows within [lower, upper] is taken to move by (upper - lower) / n, but a mean that
// is rounded before noise is added, even correctly, can move further.
TEST(Regressions, MeanRounding) {
  const double lower = 0x1p53;
  const double upper = 0x1p53 + 2;  // the next double
  const std::vector<double> one{lower, lower, upper};
  const std::vector<double> other{lower, upper, upper};
  const double rounded_mean_of_one = lower + 2.0 / 3;
  const double rounded_mean_of_other = lower + 4.0 / 3;
  EXPECT_GT(rounded_mean_of_other - rounded_mean_of_one, (upper - lower) / 3);

  const Mean mean = *Mean::create(column("9007199254740992", "9007199254740994", kReplaceFixed));
  EXPECT_LE(distance(mean.clamp().sum(one), mean.clamp().sum(other)), charged_steps(mean.cost()));
}

// NaN replaced by 0 after clamping leaves the bounds: under replace neighbours a row then moves a
// sum of values in [10, 20] by 20, where 10 was charged.
TEST(Regressions, NanTurnedIntoZero) {
  const Sum sum = *Sum::create(column("10", "20", kReplaceFixed));
  const std::vector<double> with_nan{15, kNan};
  const std::vector<double> without{15, 20};
  EXPECT_LE(distance(sum.clamp().sum(with_nan), sum.clamp().sum(without)),
            charged_steps(sum.cost()));
  EXPECT_EQ(sum.clamp()(kNan), sum.clamp().lower());
}

// A column of floats summed in floats has the precision of floats, whatever type its noise has.
TEST(Regressions, F32TreatedAsF64) {
  std::vector<float> floats(1U << 24, 1.0F);
  floats.push_back(1.0F);
  float naive = 0;
  for (const float value : floats) naive += value;
  EXPECT_EQ(naive, 0x1p24F) << "the last row is lost";

  const std::vector<double> widened(floats.begin(), floats.end());
  const Sum sum = *Sum::create(column("0", "1"));
  EXPECT_EQ(sum.clamp().sum(widened),
            int128{sum.clamp().upper()} * static_cast<std::int64_t>(floats.size()));
  // The nearest float to 0.1 is not the nearest double, and is clamped as what it is.
  EXPECT_EQ(sum.clamp()(static_cast<double>(0.1F)),
            sum.clamp().grid().nearest(*Rational::exactly(static_cast<double>(0.1F))).get_si());
}

// A row that is changed leaves one place and enters another.
TEST(Regressions, ChangedRowsCountedOnceInsteadOfTwice) {
  const Sum sum = *Sum::create(column("-10", "20", kReplaceFixed));
  const std::vector<double> one{-10};
  const std::vector<double> other{20};
  EXPECT_EQ(distance(sum.clamp().sum(one), sum.clamp().sum(other)), charged_steps(sum.cost()));

  const Sensitivity histogram = *histogram_sensitivity(3, {Neighbours::kReplace});
  EXPECT_EQ(histogram.l1, 2U);
  EXPECT_EQ(histogram.squared_l2, 2U);
  const Sensitivity unbounded = *histogram_sensitivity(3, {Neighbours::kAddRemove});
  EXPECT_EQ(unbounded.l1, 1U);
}

// Comparisons with NaN are false, so the usual clamp lets it through.
TEST(Regressions, NanThroughClamp) {
  EXPECT_TRUE(std::isnan(std::clamp(kNan, 0.0, 1.0)));
  EXPECT_TRUE(std::isnan(std::max(kNan, std::min(1.0, kNan))));
  const Sum sum = *Sum::create(column("0", "1"));
  const std::vector<double> values{kNan, -kNan, std::numeric_limits<double>::signaling_NaN(), 0.5};
  EXPECT_EQ(sum.clamp().sum(values), sum.clamp().upper() / 2);
}

// Bounds on a norm computed in machine integers wrap around, and a wrapped norm asks for hardly any
// noise (Casacuberta et al. 2022).
TEST(Regressions, L1Overflow) {
  const auto half = std::uint64_t{1} << 63;
  EXPECT_EQ(half + half + 1, 1U) << "the naive sum of two large sensitivities";
  const std::vector<StepRange> ranges(
      2, {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()});
  EXPECT_FALSE(sums_sensitivity(ranges, {}));
  EXPECT_FALSE(sums_sensitivity(std::vector<StepRange>(1U << 20, {0, 0xFFFFFFFF}), {}));
  EXPECT_FALSE(sum_sensitivity({0, 0xFFFFFFFF}, {Neighbours::kAddRemove, 0xFFFFFFFF}));

  const std::vector<ColumnBounds> wide(4, {number("-9e18"), number("9e18")});
  const Sums sums = *Sums::create({.bounds = wide, .whole_numbers = true, .target = PureTarget{1}});
  EXPECT_GT(*sums.half_width(0.95), 4 * 9e18 * std::log(20.0) * 0.999);
}

// A mean is a sum and a count; charging for one of them is charging half.
TEST(Regressions, AvgChargedHalf) {
  const Mean mean = *Mean::create(column("0", "10"));
  EXPECT_EQ(*pure_epsilon(mean.cost()), Rational(1));
  const auto& parts = std::get<cost::Compose>(mean.cost().node()).parts;
  ASSERT_EQ(parts.size(), 2U);
  for (const Cost& part : parts) EXPECT_EQ(*pure_epsilon(part), number("1/2"));
  EXPECT_EQ(*pure_epsilon(Variance::create(column("0", "10"))->cost()), Rational(1));
}

template <class Stream>
concept ReleaseAccepts = requires(const Sum& sum, Permit permit, Stream& stream) {
  sum.release_total(0, std::move(permit), stream);
};

// A generator seeded from the data or from a clock gives the same noise to who knows the seed.
TEST(Regressions, GeneratorSeededFromDataOrClock) {
  static_assert(ReleaseAccepts<SecureStream>);
  static_assert(!ReleaseAccepts<std::mt19937_64>);
  static_assert(!ReleaseAccepts<testing::DeterministicStream>);
  static_assert(!std::constructible_from<SecureStream, std::uint64_t>);

  // The same data at the same moment: 64 answers, none the same as its twin from another stream.
  SecureStream one = *SecureStream::create();
  SecureStream other = *SecureStream::create();
  const Sum sum = *Sum::create(column("0", "1"));
  int equal = 0;
  for (int i = 0; i < 64; ++i) {
    const double a = sum.release_total(7, PermitForTests::mint(sum.cost()), one)->value;
    const double b = sum.release_total(7, PermitForTests::mint(sum.cost()), other)->value;
    equal += a == b ? 1 : 0;
  }
  EXPECT_LE(equal, 1);
}

// Noise drawn twice for one charge can be averaged away.
TEST(Regressions, ResultReleasedTwice) {
  static_assert(!std::is_copy_constructible_v<Permit>);
  static_assert(!std::is_copy_assignable_v<Permit>);
  static_assert(!std::is_invocable_v<decltype(&Permit::consume), Permit&, const Cost&>);
  SecureStream stream = *SecureStream::create();
  const Sum sum = *Sum::create(column("0", "1"));
  Permit permit = PermitForTests::mint(sum.cost());
  EXPECT_TRUE(sum.release_total(7, std::move(permit), stream));
  // NOLINTNEXTLINE(bugprone-use-after-move): using it again is what must fail.
  EXPECT_FALSE(sum.release_total(7, std::move(permit), stream));

  const Mean mean = *Mean::create(column("0", "1"));
  Permit composed = PermitForTests::mint(mean.cost());
  EXPECT_TRUE(mean.release_totals(7, 3, std::move(composed), stream));
  // NOLINTNEXTLINE(bugprone-use-after-move): as above.
  EXPECT_FALSE(mean.release_totals(7, 3, std::move(composed), stream));
}

// Floating-point addition is not associative: the same rows in another order have another sum, and
// one row more can move it by more than its own size (Casacuberta et al. 2022).
TEST(Regressions, SensitivityLostToOrderOfSummation) {
  std::vector<double> rows(1000, 1.0);
  rows.insert(rows.begin(), 0x1p53);
  const double large_first = std::accumulate(rows.begin(), rows.end(), 0.0);
  const double large_last = std::accumulate(rows.rbegin(), rows.rend(), 0.0);
  EXPECT_EQ(large_last - large_first, 1000) << "the same rows, a thousand apart";

  const Sum sum = *Sum::create(column("0", "9007199254740992"));
  std::vector<double> shuffled(rows.rbegin(), rows.rend());
  EXPECT_EQ(sum.clamp().sum(rows), sum.clamp().sum(shuffled));
  std::mt19937_64 generator(1);
  std::shuffle(shuffled.begin(), shuffled.end(), generator);
  EXPECT_EQ(sum.clamp().sum(rows), sum.clamp().sum(shuffled));
}

// The spacing of doubles grows with their size: noise added to 0 keeps bits that noise added to 1
// has lost, so a small answer with fine bits did not come from 1 (Haney et al. 2022).
TEST(Regressions, UlpAttack) {
  std::mt19937_64 generator(2);
  std::uniform_real_distribution<double> small_noise(-0x1p-20, 0x1p-20);
  int finer_from_zero = 0;
  int finer_from_one = 0;
  const auto finer = [](double answer) {
    const double multiples = std::ldexp(answer, 53);
    return multiples != std::trunc(multiples);
  };
  for (int i = 0; i < 1000; ++i) {
    finer_from_zero += finer(0 + small_noise(generator)) ? 1 : 0;
    finer_from_one += finer(1 + (small_noise(generator) - 1)) ? 1 : 0;
  }
  EXPECT_GT(finer_from_zero, 900);
  EXPECT_EQ(finer_from_one, 0);

  SecureStream stream = *SecureStream::create();
  const Sum sum = *Sum::create(column("0", "1"));
  const int exponent = sum.clamp().grid().exponent();
  for (const int128 total : {int128{0}, int128{sum.clamp().upper()}}) {
    for (int i = 0; i < 1000; ++i) {
      const double answer =
          sum.release_total(total, PermitForTests::mint(sum.cost()), stream)->value;
      const double steps = std::ldexp(answer, -exponent);
      EXPECT_EQ(steps, std::trunc(steps));
    }
  }
}

// Counts what is asked of a sampler.
struct WatchedSampler {
  std::size_t* calls;
  std::size_t* drawn;
  void fill(SecureStream&, std::span<std::int64_t> values) const {
    ++*calls;
    *drawn += values.size();
    std::fill(values.begin(), values.end(), 0);
  }
};

// Samplers whose loops depend on the secret give it away by their time (Jin et al. 2022). Times are
// no business of tests, but the structure is: what is drawn does not depend on the values, and is
// drawn before they are looked at.
TEST(Regressions, SamplerTiming) {
  SecureStream stream = *SecureStream::create();
  const Cost cost = *Cost::leaf(cost::Pure{1});
  for (const std::int64_t value : {std::int64_t{0}, std::int64_t{1}, std::int64_t{-1} << 63}) {
    std::size_t calls = 0;
    std::size_t drawn = 0;
    const std::vector<std::int64_t> values(1000, value);
    EXPECT_TRUE(internal::add_noise(std::span<const std::int64_t>(values), 1000, cost,
                                    WatchedSampler{&calls, &drawn}, PermitForTests::mint(cost),
                                    stream));
    EXPECT_EQ(calls, 1U);
    EXPECT_EQ(drawn, 1000U);
  }
}

}  // namespace
}  // namespace tacit

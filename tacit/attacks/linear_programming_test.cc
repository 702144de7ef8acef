#include "tacit/attacks/linear_programming.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tacit/attacks/least_squares.h"

namespace tacit::attacks {
namespace {

struct Secret {
  std::vector<double> bits;
  SubsetSums released;
};

// Sums over random halves, with noise drawn by `noise`.
template <class Noise>
Secret secret(std::size_t people, std::size_t sums, std::mt19937_64& generator, Noise noise) {
  Secret out{.released = {.people = people}};
  for (std::size_t i = 0; i < people; ++i) {
    out.bits.push_back(static_cast<double>(generator() % 2));
  }
  for (std::size_t i = 0; i < sums; ++i) {
    auto& members = out.released.members.emplace_back();
    double sum = noise(generator);
    for (std::uint32_t person = 0; person < people; ++person) {
      if (generator() % 2 == 0) continue;
      members.push_back(person);
      sum += out.bits[person];
    }
    out.released.sums.push_back(sum);
  }
  return out;
}

double right(const Secret& secret, const std::vector<double>& values) {
  double out = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    out += std::round(values[i]) == secret.bits[i] ? 1 : 0;
  }
  return out / static_cast<double>(values.size());
}

double deviation(const SubsetSums& released, const std::vector<double>& values, Deviation kind) {
  double out = 0;
  for (std::size_t i = 0; i < released.sums.size(); ++i) {
    double sum = 0;
    for (const std::uint32_t person : released.members[i]) sum += values[person];
    const double each = std::abs(sum - released.sums[i]);
    out = kind == Deviation::kSum ? out + each : std::max(out, each);
  }
  return out;
}

TEST(LinearProgramming, ExactSumsGiveTheBits) {
  std::mt19937_64 generator(1);
  const Secret all = secret(40, 80, generator, [](auto& /*none*/) { return 0.0; });
  for (const Deviation kind : {Deviation::kSum, Deviation::kGreatest}) {
    const auto values = linear_programming(all.released, kind);
    ASSERT_TRUE(values) << values.error().message();
    for (std::size_t i = 0; i < 40; ++i) EXPECT_NEAR((*values)[i], all.bits[i], 1e-6);
  }
}

// No point near the solution deviates less: it is the optimum of a convex function.
TEST(LinearProgramming, NothingDeviatesLess) {
  std::mt19937_64 generator(2);
  std::normal_distribution<double> noise(0, 1);
  const Secret all = secret(20, 60, generator, noise);
  for (const Deviation kind : {Deviation::kSum, Deviation::kGreatest}) {
    const std::vector<double> best = linear_programming(all.released, kind).value();
    const double least = deviation(all.released, best, kind);
    EXPECT_LE(least, deviation(all.released, all.bits, kind) + 1e-7);
    EXPECT_LE(least, deviation(all.released, least_squares(all.released).value(), kind) + 1e-7);
    for (int i = 0; i < 500; ++i) {
      std::vector<double> other = best;
      for (double& value : other) value = std::clamp(value + (0.05 * noise(generator)), 0.0, 1.0);
      EXPECT_LE(least, deviation(all.released, other, kind) + 1e-7);
    }
  }
}

// Dwork, McSherry and Talwar (2007): a tenth of the sums may be anything, and the sum of deviations
// still gives the bits away; least squares is lost.
TEST(LinearProgramming, AFewWildAnswersDoNotProtect) {
  std::mt19937_64 generator(3);
  const Secret all = secret(100, 600, generator, [](std::mt19937_64& source) {
    return source() % 10 == 0 ? static_cast<double>(source() % 2000) - 1000 : 0.0;
  });
  EXPECT_EQ(right(all, linear_programming(all.released, Deviation::kSum).value()), 1);
  EXPECT_LT(right(all, least_squares(all.released).value()), 0.8);
}

// The settings of least squares, on fewer people to be quick: about as good where noise is normal.
TEST(LinearProgramming, RecoversAboutAsManyBitsAsLeastSquares) {
  std::mt19937_64 generator(4);
  std::normal_distribution<double> noise(0, 0.25 * std::sqrt(100));
  double programmed = 0;
  double squared = 0;
  for (int run = 0; run < 10; ++run) {
    const Secret all = secret(100, 400, generator, noise);
    programmed += right(all, linear_programming(all.released, Deviation::kSum).value()) / 10;
    squared += right(all, least_squares(all.released).value()) / 10;
  }
  EXPECT_NEAR(programmed, squared, 0.05);
  EXPECT_GT(programmed, 0.9);
}

}  // namespace
}  // namespace tacit::attacks

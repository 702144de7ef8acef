#include "tacit/attacks/least_squares.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace tacit::attacks {
namespace {

// n secret bits, m sums over random halves, noise of deviation c sqrt(n).
struct Setting {
  double sums_by_people;
  double noise;
  double recovered;
};

double recovered(const Setting& setting, std::mt19937_64& generator) {
  constexpr std::size_t kPeople = 400;
  std::vector<int> secret(kPeople);
  for (int& bit : secret) bit = static_cast<int>(generator() % 2);
  std::normal_distribution<double> noise(0, setting.noise * std::sqrt(kPeople));
  SubsetSums released{.people = kPeople};
  for (double i = 0; i < setting.sums_by_people * kPeople; ++i) {
    auto& members = released.members.emplace_back();
    double sum = noise(generator);
    for (std::uint32_t person = 0; person < kPeople; ++person) {
      if (generator() % 2 == 0) continue;
      members.push_back(person);
      sum += secret[person];
    }
    released.sums.push_back(sum);
  }
  const auto guesses = least_squares(released).value();
  double right = 0;
  for (std::size_t i = 0; i < kPeople; ++i) right += std::round(guesses[i]) == secret[i] ? 1 : 0;
  return right / kPeople;
}

// The reference values of these settings, by least squares and rounding: mean shares.
TEST(LeastSquares, RecoversAsManyBitsAsTheNoiseAllows) {
  std::mt19937_64 generator(9);
  for (const Setting& setting : {Setting{4, 0.1, 1.0},
                                 {4, 0.25, 0.959},
                                 {4, 0.5, 0.809},
                                 {4, 1.0, 0.663},
                                 {16, 0.5, 0.975}}) {
    constexpr int kRuns = 10;
    double mean = 0;
    for (int run = 0; run < kRuns; ++run) mean += recovered(setting, generator) / kRuns;
    EXPECT_NEAR(mean, setting.recovered, 0.02) << setting.sums_by_people << " " << setting.noise;
  }
}

TEST(LeastSquares, KnowsNothingOfPeopleInNoSum) {
  const auto values =
      least_squares({.people = 3, .members = {{0}, {0, 1}}, .sums = {1, 1}}).value();
  EXPECT_NEAR(values[0], 1, 1e-4);
  EXPECT_NEAR(values[1], 0, 1e-4);
  EXPECT_DOUBLE_EQ(values[2], 0.5);
}

}  // namespace
}  // namespace tacit::attacks

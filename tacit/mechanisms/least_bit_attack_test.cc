// The attack of Mironov (2012, "On significance of the least significant bits for differential
// privacy"): floating-point noise reaches only some doubles, which ones depends on the value it was
// added to, so an answer that one dataset cannot give tells that it was the other.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "tacit/mechanisms/laplace/laplace.h"
#include "tacit/mechanisms/testing/binomial_bounds.h"
#include "tacit/mechanisms/testing/verdict.h"
#include "tacit/privacy/testing/permit_for_tests.h"

namespace tacit {
namespace {

// A hundred numbers, all 0 or all 1, each with noise of scale 100: epsilon 1 in all.
constexpr std::size_t kNumbers = 100;
constexpr double kScale = 100;
constexpr double kEpsilon = 1;
constexpr std::uint64_t kTrials = 1000;
// No attacker guesses a fair bit better than this from an epsilon-DP answer.
const double kMostRight = std::exp(kEpsilon) / (1 + std::exp(kEpsilon));

// |noise| of the textbook: the inverse of the distribution function at a 53-bit uniform.
double textbook_magnitude(double uniform) { return -kScale * std::log(uniform); }

std::vector<double> textbook_laplace(double truth, SecureStream& stream) {
  std::vector<double> answers(kNumbers);
  for (double& answer : answers) {
    const std::uint64_t word = stream.next();
    const double uniform = static_cast<double>((word >> 11) + 1) * 0x1p-53;
    const double magnitude = textbook_magnitude(uniform);
    answer = truth + ((word & 1) == 0 ? magnitude : -magnitude);
  }
  return answers;
}

// Whether the textbook can turn `truth` into `answer`: tries the uniforms around the one that the
// inverse names.
bool reachable(double answer, double truth) {
  const double difference = answer - truth;
  const double near = std::round(std::exp(-std::abs(difference) / kScale) * 0x1p53);
  for (int step = -32; step <= 32; ++step) {
    const double uniform = (near + step) * 0x1p-53;
    if (uniform <= 0 || uniform > 1) continue;
    const double magnitude = textbook_magnitude(uniform);
    if (truth + (difference < 0 ? -magnitude : magnitude) == answer) return true;
  }
  return false;
}

// Guesses the truth, 0 or 1: the one from which fewer answers are out of reach. Ties are broken by
// an independent coin.
int guess(const std::vector<double>& answers, SecureStream& stream) {
  int impossible[2] = {0, 0};
  for (const double answer : answers) {
    for (int truth = 0; truth < 2; ++truth) {
      impossible[truth] += reachable(answer, truth) ? 0 : 1;
    }
  }
  if (impossible[0] == impossible[1]) return static_cast<int>(stream.next() & 1);
  return impossible[0] < impossible[1] ? 0 : 1;
}

template <class Mechanism>
std::uint64_t right_guesses(Mechanism&& mechanism, SecureStream& stream) {
  std::uint64_t right = 0;
  for (std::uint64_t i = 0; i < kTrials; ++i) {
    const int truth = static_cast<int>(stream.next() & 1);
    right += guess(mechanism(static_cast<double>(truth)), stream) == truth ? 1U : 0U;
  }
  return right;
}

TEST(LeastBitAttack, BreaksTheTextbookEveryTime) {
  SecureStream stream = *SecureStream::create();
  const std::uint64_t right =
      right_guesses([&](double truth) { return textbook_laplace(truth, stream); }, stream);
  EXPECT_EQ(right, kTrials);
  EXPECT_GT(testing::lower_bound(right, kTrials, testing::kFalseAlarm), kMostRight)
      << "the bound below could never be missed";
}

TEST(LeastBitAttack, GainsNothingOnTheGrid) {
  SecureStream stream = *SecureStream::create();
  const auto mechanism = *LaplaceMechanism::create(
      1, {.norm = kNumbers, .coordinates = kNumbers, .one_coordinate = false});
  const std::uint64_t right = right_guesses(
      [&](double truth) {
        const std::vector<double> truths(kNumbers, truth);
        return mechanism.release(truths, PermitForTests::mint(mechanism.cost()), stream)->value;
      },
      stream);
  EXPECT_LE(testing::lower_bound(right, kTrials, testing::kFalseAlarm), kMostRight);
}

TEST(LeastBitAttack, TheGridIsTheSameForAllData) {
  SecureStream stream = *SecureStream::create();
  const auto mechanism = *LaplaceMechanism::create(1, RealSensitivity{});
  for (const double truth : {0.0, 1.0, 1e-300, 1.0 / 3, 1e6, -12345.678}) {
    for (int i = 0; i < 100; ++i) {
      const double answer =
          mechanism.release(truth, PermitForTests::mint(mechanism.cost()), stream)->value;
      const double steps = std::ldexp(answer, -mechanism.grid().exponent());
      EXPECT_EQ(steps, std::trunc(steps));
    }
  }
}

}  // namespace
}  // namespace tacit

#include "tacit/mechanisms/testing/privacy_audit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace tacit::testing {
namespace {

constexpr std::uint64_t kTrials = 1'000'000;

// Two-sided geometric noise of the given scale, from the standard library: a tester's tester needs
// no cryptographic noise.
class Noise {
 public:
  Noise(double scale, std::uint64_t seed)
      : generator_(seed), geometric_(1 - std::exp(-1 / scale)) {}
  std::int64_t operator()() { return geometric_(generator_) - geometric_(generator_); }

 private:
  std::mt19937_64 generator_;
  std::geometric_distribution<std::int64_t> geometric_;
};

NeighbourCounts counts_of(double scale, std::int64_t difference, std::uint64_t seed) {
  const IntegerCells cells(-20, 1, 42);
  Noise noise(scale, seed);
  return {count_cells(kTrials, cells.size(), [&] { return cells(noise()); }),
          count_cells(kTrials, cells.size(), [&] { return cells(difference + noise()); })};
}

TEST(PrivacyAudit, AcceptsTrueClaims) {
  expect_accepts(audit_privacy({1.0, 0}, counts_of(1.0, 1, 1)));
  expect_accepts(audit_privacy({0.5, 0}, counts_of(4.0, 2, 2)));
  expect_accepts(audit_privacy({0.0, 0}, counts_of(2.0, 0, 3)));
}

TEST(PrivacyAudit, RejectsNoiseTenPercentSmall) {
  expect_rejects_wrong(audit_privacy({1.0, 0}, counts_of(0.9, 1, 4)), "scale 10% small");
  expect_rejects_wrong(audit_privacy({1.0, 0}, counts_of(0.9, -1, 5)), "the other direction");
}

TEST(PrivacyAudit, RejectsSensitivityOffByOne) {
  expect_rejects_wrong(audit_privacy({0.5, 0}, counts_of(4.0, 3, 6)), "moves 3, charged 2");
}

TEST(PrivacyAudit, DeltaBuysExactlyWhatItSays) {
  // With probability `leak` the mechanism names its dataset: (0, leak)-DP and no better.
  std::mt19937_64 generator(7);
  const double leak = 0.01;
  const auto run = [&](std::size_t dataset) {
    std::bernoulli_distribution leaks(leak);
    return count_cells(kTrials, 3, [&] { return leaks(generator) ? dataset : std::size_t{2}; });
  };
  const NeighbourCounts counts{run(0), run(1)};
  expect_accepts(audit_privacy({0, leak}, counts));
  expect_rejects_wrong(audit_privacy({0, leak * 0.9}, counts), "delta 10% small");
  expect_rejects_wrong(audit_privacy({1.0, leak * 0.9}, counts), "no epsilon pays for a leak");
}

TEST(PrivacyAudit, LearnsEventsThatNoPrefixShows) {
  // Odd cells are likelier on one side: no single cell and no prefix shows it well.
  std::mt19937_64 generator(8);
  const auto run = [&](bool odd, std::uint64_t trials) {
    std::bernoulli_distribution flip(0.52);
    std::uniform_int_distribution<std::size_t> pair(0, 499);
    return count_cells(trials, 1000, [&] {
      return 2 * pair(generator) + static_cast<std::size_t>(flip(generator) == odd);
    });
  };
  const NeighbourCounts training{run(true, kTrials), run(false, kTrials)};
  const NeighbourCounts counts{run(true, kTrials), run(false, kTrials)};
  expect_rejects_wrong(audit_privacy({0.0, 0}, counts, &training), "0.04 of total variation");
  expect_accepts(audit_privacy({std::log(0.52 / 0.48), 0}, counts, &training));
}

}  // namespace
}  // namespace tacit::testing

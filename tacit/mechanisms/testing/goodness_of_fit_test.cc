#include "tacit/mechanisms/testing/goodness_of_fit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace tacit::testing {
namespace {

constexpr std::uint64_t kTrials = 200'000;

double geometric_below(double failure, std::int64_t x) {
  return x <= 0 ? 0 : 1 - std::pow(failure, static_cast<double>(x));
}

CellCounts draw_geometric(const IntegerCells& cells, double failure, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::geometric_distribution<std::int64_t> geometric(1 - failure);
  return count_cells(kTrials, cells.size(), [&] { return cells(geometric(generator)); });
}

TEST(GoodnessOfFit, AcceptsTheLawAndRejectsOneTenPercentOff) {
  const IntegerCells cells(1, 1, 40);
  const double failure = std::exp(-1 / 5.0);
  const std::vector<double> law =
      cell_law(cells, [&](std::int64_t x) { return geometric_below(failure, x); });
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    expect_accepts(fits_law(draw_geometric(cells, failure, seed), law));
    expect_rejects_wrong(fits_law(draw_geometric(cells, std::exp(-1 / 4.5), seed), law),
                         "scale 10% small");
    expect_rejects_wrong(fits_law(draw_geometric(cells, std::exp(-1 / 5.5), seed), law),
                         "scale 10% large");
  }
}

TEST(GoodnessOfFit, RejectsACellThatNeverComes) {
  CellCounts counts(10, 10'000);
  const std::vector<double> law(10, 0.1);
  expect_accepts(fits_law(counts, law));
  counts[3] = 0;
  counts[4] = 20'000;
  expect_rejects_wrong(fits_law(counts, law), "a hole");
}

TEST(GoodnessOfFit, RejectsAnOutcomeOfProbabilityZero) {
  expect_rejects_wrong(fits_law({1'000'000, 1}, std::vector<double>{1.0, 0.0}), "impossible value");
}

TEST(GoodnessOfFit, RejectsALawThatIsNoLaw) {
  expect_rejects_wrong(fits_law({5, 5}, std::vector<double>{0.5, 0.4}), "sums to 0.9");
  expect_rejects_wrong(fits_law({5, 5}, std::vector<double>{1.0}), "one cell for two");
}

TEST(IntegerCells, SortsEveryIntegerIntoOneCell) {
  const IntegerCells cells(-4, 3, 5);
  EXPECT_EQ(cells(std::numeric_limits<std::int64_t>::min()), 0U);
  EXPECT_EQ(cells(-5), 0U);
  EXPECT_EQ(cells(-4), 1U);
  EXPECT_EQ(cells(-2), 1U);
  EXPECT_EQ(cells(-1), 2U);
  EXPECT_EQ(cells(4), 3U);
  EXPECT_EQ(cells(5), 4U);
  EXPECT_EQ(cells(std::numeric_limits<std::int64_t>::max()), 4U);
  EXPECT_EQ(cells.begin(1), -4);
  EXPECT_EQ(cells.begin(4), 5);
}

}  // namespace
}  // namespace tacit::testing

#include "tacit/mechanisms/bounds/bounds.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tacit/mechanisms/selection/testing/run_mechanism.h"
#include "tacit/mechanisms/testing/goodness_of_fit.h"
#include "tacit/mechanisms/testing/privacy_audit.h"

namespace tacit {
namespace {

using testing::number;
using testing::refusal;
using testing::run;
using Bounds = PrivateBounds::Bounds;
using Values = std::vector<double>;

constexpr std::uint64_t kTrials = 100'000;

PrivateBounds mechanism(std::string_view epsilon, Contribution contribution = {},
                        std::string_view false_bin = "1e-9") {
  return PrivateBounds::create(Grid(), number(epsilon), contribution, number(false_bin)).value();
}

Values copies(double value, std::size_t count) { return Values(count, value); }

TEST(Bounds, AreThePowersOfTwoAroundTheValues) {
  const auto bounds = mechanism("1");
  Values values = copies(10, 500);
  values.resize(1000, 900);
  EXPECT_EQ(run(bounds, values), (Bounds{8, 1024}));
  values.resize(1500, -3);
  EXPECT_EQ(run(bounds, values), (Bounds{-4, 1024}));
  EXPECT_EQ(run(bounds, copies(-3, 500)), (Bounds{-4, -2}));
  EXPECT_EQ(run(bounds, copies(0, 500)), (Bounds{0, 0}));
  EXPECT_EQ(run(bounds, copies(1, 500)), (Bounds{1, 2}));
}

TEST(Bounds, FollowTheGrid) {
  const auto fine = PrivateBounds::create(Grid::create(-20).value(), 1).value();
  EXPECT_EQ(run(fine, copies(0.3, 500)), (Bounds{0.25, 0.5}));
}

TEST(Bounds, TakeAnyValue) {
  const auto bounds = mechanism("1");
  const double end = std::ldexp(1, 62);
  EXPECT_EQ(run(bounds, copies(std::numeric_limits<double>::infinity(), 500)),
            (Bounds{end, 2 * end}));
  EXPECT_EQ(run(bounds, copies(-1e300, 500)), (Bounds{-2 * end, -end}));
  EXPECT_EQ(run(bounds, copies(std::numeric_limits<double>::quiet_NaN(), 500)), (Bounds{0, 0}));
}

TEST(Bounds, AreNothingWhereThereIsTooLittle) {
  const auto bounds = mechanism("1");
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(run(bounds, copies(5, 2)), std::nullopt);
  EXPECT_EQ(run(bounds, Values{}), std::nullopt);
}

double tail(double scale, std::int64_t t) {
  const double y = std::exp(-1 / scale);
  if (t <= 0) return 1 - std::pow(y, static_cast<double>(1 - t)) / (1 + y);
  return std::pow(y, static_cast<double>(t)) / (1 + y);
}

// Cells: nothing found, or something. The values are in one bin; the other 126 are empty.
testing::CellCounts found(const PrivateBounds& bounds, std::size_t count) {
  const Values values = copies(5, count);
  return testing::count_cells(kTrials, 2, [&] { return run(bounds, values).has_value(); });
}

TEST(Bounds, OccupyABinByTheLawOfTheNoise) {
  const auto bounds = mechanism("0.5");
  const auto count = static_cast<std::size_t>(bounds.threshold()) - 3;
  const auto law = [&](double scale, std::int64_t strict) {
    const double occupied = tail(scale, 3 + strict);
    return std::vector{1 - occupied, occupied};
  };
  const auto counts = found(bounds, count);
  testing::expect_accepts(testing::fits_law(counts, law(2, 0)));
  testing::expect_rejects_wrong(testing::fits_law(counts, law(1.8, 0)), "scale 10% small");
  testing::expect_rejects_wrong(testing::fits_law(counts, law(2, 1)), "> for >=");
}

TEST(Bounds, KeepTheirPromiseOnNeighbours) {
  const auto audit = [](std::string_view epsilon) {
    const auto bounds = mechanism(epsilon);
    const auto count = static_cast<std::size_t>(bounds.threshold()) - 3;
    return testing::audit_privacy({.epsilon = 0.5},
                                  {found(bounds, count), found(bounds, count + 1)});
  };
  testing::expect_accepts(audit("0.5"));
  testing::expect_rejects_wrong(audit("1"), "epsilon 1 for 0.5");
}

TEST(Bounds, SeldomOccupyAnEmptyBin) {
  const auto counts = found(mechanism("1", {}, "0.1"), 0);
  EXPECT_LE(testing::lower_bound(counts[1], kTrials, testing::kFalseAlarm), 0.1);
  EXPECT_GT(
      testing::lower_bound(found(mechanism("1", {}, "0.4"), 0)[1], kTrials, testing::kFalseAlarm),
      0.1);
}

TEST(Bounds, SayTheirCostBeforehand) {
  EXPECT_EQ(mechanism("0.5").cost(), Cost::leaf(cost::DiscreteLaplace{2, 1}).value());
  EXPECT_EQ(mechanism("0.5", {.rows = 3}).cost(), Cost::leaf(cost::Pure{number("0.5")}).value());
  const Contribution replace{.neighbours = Neighbours::kReplace};
  EXPECT_EQ(mechanism("0.5", replace).cost(),
            Cost::leaf(cost::Pure{number("0.5")}, Neighbours::kReplace).value());
  EXPECT_GT(mechanism("0.5", replace).threshold(), mechanism("0.5").threshold());
}

TEST(Bounds, ComeFromCountsOfBins) {
  const auto bounds = mechanism("1");
  const auto from = [&](const PrivateBounds& made, std::vector<PrivateBounds::BinCount> counts) {
    return made.release_counts(counts, testing::permit_for(made.cost()), testing::system_stream())
        .value()
        .value;
  };
  EXPECT_EQ(from(bounds, {{4, 500}, {10, 500}}), (Bounds{8, 1024}));
  EXPECT_EQ(from(bounds, {{-2, 250}, {-2, 250}, {0, 500}}), (Bounds{-4, 0}));
  EXPECT_EQ(from(bounds, {}), std::nullopt);
  // With fewer digits what lies beyond counts in the outermost bin, and fewer bins can be false.
  const auto narrow =
      PrivateBounds::create(Grid(), 1, {}, PrivateBounds::default_false_bin(), 5).value();
  EXPECT_EQ(from(narrow, {{4, 500}, {10, 500}}), (Bounds{8, 32}));
  EXPECT_EQ(from(narrow, {{-63, 500}}), (Bounds{-32, -16}));
  EXPECT_LT(narrow.threshold(), bounds.threshold());
  EXPECT_EQ(run(narrow, copies(1000, 500)), (Bounds{16, 32}));
}

TEST(Bounds, RefuseWhatHasNoMeaning) {
  for (const int digits : {0, 64}) {
    EXPECT_NE(
        refusal(PrivateBounds::create(Grid(), 1, {}, PrivateBounds::default_false_bin(), digits)),
        "");
  }
  EXPECT_NE(refusal(PrivateBounds::create(Grid(), 0)), "");
  EXPECT_NE(refusal(PrivateBounds::create(Grid(), -1)), "");
  EXPECT_NE(refusal(PrivateBounds::create(Grid(), 1, {.rows = 0})), "");
  EXPECT_NE(refusal(PrivateBounds::create(Grid(), 1, {}, 0)), "");
  EXPECT_NE(refusal(PrivateBounds::create(Grid(), 1, {}, 1)), "");
}

}  // namespace
}  // namespace tacit

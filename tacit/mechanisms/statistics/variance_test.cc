#include "tacit/mechanisms/statistics/variance.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tacit/mechanisms/statistics/testing/columns.h"
#include "tacit/privacy/testing/permit_for_tests.h"

namespace tacit {
namespace {

using testing::column;
using testing::Coverage;
using testing::number;
using testing::targets;

MomentTotals totals_of(const Variance& variance, const std::vector<double>& values) {
  MomentTotals totals{.rows = values.size()};
  for (const double value : values) {
    totals.offsets += variance.offset(value);
    totals.squares += variance.square(variance.offset(value));
  }
  return totals;
}

TEST(Variance, ChargesForAllThreeNumbers) {
  ColumnParameters parameters = column("0", "20", PureTarget{number("0.3")});
  parameters.whole_numbers = true;
  // Offsets from 10 move by 10, squares from 50 by 50, the count by 1; each has a tenth.
  EXPECT_EQ(Variance::create(parameters)->cost(),
            *Cost::compose({*Cost::leaf(cost::DiscreteLaplace{100, 10}),
                            *Cost::leaf(cost::DiscreteLaplace{500, 50}),
                            *Cost::leaf(cost::DiscreteLaplace{10, 1})}));
  parameters.contribution = {Neighbours::kReplace, 1, true};
  const Cost replace = Variance::create(parameters)->cost();
  EXPECT_EQ(std::get<cost::Compose>(replace.node()).parts.size(), 2U);
}

TEST(Variance, NoRowCanAddMoreThanIsCharged) {
  const std::vector<double> rows{0,           20,
                                 10,          -1e300,
                                 1e300,       std::nan(""),
                                 19.9,        1e-9,
                                 -1.0 / 1e-9, std::numeric_limits<double>::infinity()};
  for (const bool whole : {false, true}) {
    ColumnParameters parameters = column("0", "20");
    parameters.whole_numbers = whole;
    const Variance variance = *Variance::create(parameters);
    const auto& parts = std::get<cost::Compose>(variance.cost().node()).parts;
    const auto offsets = std::get<cost::DiscreteLaplace>(parts[0].node()).sensitivity;
    const auto squares = std::get<cost::DiscreteLaplace>(parts[1].node()).sensitivity;
    for (const double row : rows) {
      const std::int64_t offset = variance.offset(row);
      EXPECT_LE(static_cast<std::uint64_t>(std::abs(offset)), offsets) << row;
      // Squares are centred inside, so they reach from 0 to twice the sensitivity.
      EXPECT_LE(static_cast<std::uint64_t>(variance.square(offset)), 2 * squares) << row;
      EXPECT_GE(variance.square(offset), 0) << row;
    }
  }
}

TEST(Variance, ComesNearTheTruthOnManyRows) {
  SecureStream stream = *SecureStream::create();
  std::vector<double> values;
  for (int i = 0; i < 200'000; ++i) values.push_back(i % 2 == 0 ? 12 : 18);  // mean 15, variance 9
  for (const NoiseTarget& target : targets()) {
    const Variance variance = *Variance::create(column("0", "20", target));
    const auto released = *variance.release(values, PermitForTests::mint(variance.cost()), stream);
    EXPECT_NEAR(released.variance.value, 9, 0.1);
    EXPECT_NEAR(released.standard_deviation.value, 3, 0.02);
    EXPECT_NEAR(released.mean.value, 15, 0.02);
    EXPECT_NEAR(static_cast<double>(released.count.value), 2e5, 200);
    EXPECT_LT(released.variance.interval.half_width, 0.1);
  }
}

TEST(Variance, WholeNumbersToo) {
  SecureStream stream = *SecureStream::create();
  ColumnParameters parameters = column("0", "20", PureTarget{100});
  parameters.whole_numbers = true;
  const Variance variance = *Variance::create(parameters);
  std::vector<std::int64_t> values(1000, 4);
  values.resize(2000, 8);
  const auto released = *variance.release(values, PermitForTests::mint(variance.cost()), stream);
  EXPECT_NEAR(released.variance.value, 4, 0.2);
}

TEST(Variance, FewRowsGiveAnswersThatCanBe) {
  SecureStream stream = *SecureStream::create();
  const Variance variance = *Variance::create(column("-3", "7"));
  for (const std::size_t rows : {std::size_t{0}, std::size_t{1}, std::size_t{3}}) {
    for (int i = 0; i < 100; ++i) {
      const auto released = *variance.release(std::vector<double>(rows, 7),
                                              PermitForTests::mint(variance.cost()), stream);
      EXPECT_GE(released.variance.value, 0);
      EXPECT_LE(released.variance.value, 25.0001);
      EXPECT_LE(released.variance.interval.half_width, 25.0001);
      EXPECT_LE(released.standard_deviation.value, 5.0001);
    }
  }
}

TEST(Variance, IntervalsCoverTheTruth) {
  SecureStream stream = *SecureStream::create();
  const Variance variance = *Variance::create(column("0", "20"));
  for (const std::size_t rows : {std::size_t{2}, std::size_t{60}, std::size_t{4000}}) {
    std::vector<double> values(rows / 2, 12);
    values.resize(rows, 18);
    const MomentTotals totals = totals_of(variance, values);
    Coverage at_95;
    Coverage at_50;
    Coverage deviation;
    Coverage narrow(0.1);
    for (int i = 0; i < 15'000; ++i) {
      const auto released =
          *variance.release_totals(totals, PermitForTests::mint(variance.cost()), stream);
      at_95.add(released.variance, 9);
      narrow.add(released.variance, 9);
      deviation.add(released.standard_deviation, 3);
      at_50.add(variance.at_confidence(released, 0.5)->variance, 9);
    }
    testing::expect_accepts(at_95.at_least(0.95));
    testing::expect_accepts(deviation.at_least(0.95));
    testing::expect_accepts(at_50.at_least(0.5));
    if (rows < 4000) continue;
    testing::expect_rejects_wrong(narrow.at_least(0.95), "a tenth of the width");
  }
}

TEST(Variance, GivesIntervalsOfAnyConfidenceForOneRelease) {
  SecureStream stream = *SecureStream::create();
  const Variance variance = *Variance::create(column("0", "20"));
  std::vector<double> values(2000, 12);
  values.resize(4000, 18);
  const auto released = *variance.release(values, PermitForTests::mint(variance.cost()), stream);
  const auto surer = *variance.at_confidence(released, 0.99);
  EXPECT_EQ(surer.variance.value, released.variance.value);
  EXPECT_EQ(surer.variance.interval.confidence, 0.99);
  EXPECT_EQ(surer.standard_deviation.interval.confidence, 0.99);
  EXPECT_GT(surer.variance.interval.half_width, released.variance.interval.half_width);
  EXPECT_GT(surer.mean.interval.half_width, released.mean.interval.half_width);
  EXPECT_GT(surer.count.interval.half_width, released.count.interval.half_width);
  EXPECT_FALSE(variance.at_confidence(released, 1));
}

}  // namespace
}  // namespace tacit

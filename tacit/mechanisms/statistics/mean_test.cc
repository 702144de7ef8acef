#include "tacit/mechanisms/statistics/mean.h"

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
using testing::targets;

TEST(Mean, ChargesForSumAndCount) {
  ColumnParameters parameters = column("0", "10");
  parameters.whole_numbers = true;
  // Offsets from 5 move by at most 5; each part has half of epsilon 1.
  EXPECT_EQ(Mean::create(parameters)->cost(),
            *Cost::compose({*Cost::leaf(cost::DiscreteLaplace{10, 5}),
                            *Cost::leaf(cost::DiscreteLaplace{2, 1})}));
}

TEST(Mean, APublicCountCostsNothing) {
  ColumnParameters parameters = column("0", "10");
  parameters.whole_numbers = true;
  parameters.contribution = {Neighbours::kReplace, 1, true};
  const Mean mean = *Mean::create(parameters);
  EXPECT_EQ(mean.cost(), *Cost::leaf(cost::DiscreteLaplace{10, 10}, Neighbours::kReplace));
  SecureStream stream = *SecureStream::create();
  const std::vector<double> values(1000, 4);
  const auto released = *mean.release(values, PermitForTests::mint(mean.cost()), stream);
  EXPECT_EQ(released.count.value, 1000);
  EXPECT_EQ(released.mean.interval.kind, IntervalKind::kExact);
  EXPECT_NEAR(released.mean.interval.half_width, 10 * std::log(20.0) / 1000, 2e-3);
  EXPECT_NEAR(released.mean.value, 4, 0.5);
}

TEST(Mean, APermitForHalfOfItReleasesNothing) {
  SecureStream stream = *SecureStream::create();
  const Mean mean = *Mean::create(column("0", "10"));
  const auto& parts = std::get<cost::Compose>(mean.cost().node()).parts;
  const std::vector<double> values(10, 1);
  EXPECT_FALSE(mean.release(values, PermitForTests::mint(parts[0]), stream));
  EXPECT_FALSE(mean.release(values, PermitForTests::mint(parts[1]), stream));
  const Cost more = *Cost::compose({parts[0], parts[1], parts[1]});
  EXPECT_FALSE(mean.release(values, PermitForTests::mint(more), stream));
  EXPECT_TRUE(mean.release(values, PermitForTests::mint(mean.cost()), stream));
}

TEST(Mean, RefusesWhatHasNoMeaning) {
  EXPECT_FALSE(Mean::create(column("1", "1")));
  EXPECT_FALSE(Mean::create(column("2", "1")));
  EXPECT_FALSE(Mean::create(column("0", "1", PureTarget{0})));
}

TEST(Mean, TakesNarrowBoundsFarFromZero) {
  SecureStream stream = *SecureStream::create();
  const Mean mean = *Mean::create(column("1e12", "1000000000010"));
  const std::vector<double> values(100'000, 1e12 + 4);
  const auto released = *mean.release(values, PermitForTests::mint(mean.cost()), stream);
  EXPECT_NEAR(released.mean.value, 1e12 + 4, 0.1);
}

TEST(Mean, NoRowsGiveAnAnswerWithinTheBoundsAndNoFalseComfort) {
  SecureStream stream = *SecureStream::create();
  for (const NoiseTarget& target : targets()) {
    const Mean mean = *Mean::create(column("-3", "7", target));
    for (int i = 0; i < 200; ++i) {
      const auto released =
          *mean.release(std::vector<double>{}, PermitForTests::mint(mean.cost()), stream);
      EXPECT_GE(released.mean.value, -3);
      EXPECT_LE(released.mean.value, 7);
      EXPECT_LE(released.mean.interval.half_width, 10);
    }
  }
}

TEST(Mean, IntervalCoversTheTruth) {
  SecureStream stream = *SecureStream::create();
  for (const NoiseTarget& target : targets()) {
    const Mean mean = *Mean::create(column("0", "100", target));
    for (const std::size_t rows :
         {std::size_t{1}, std::size_t{8}, std::size_t{40}, std::size_t{5000}}) {
      const int128 total = mean.clamp().sum(std::vector<double>(rows, 93.0));
      Coverage at_95;
      Coverage at_30;
      Coverage narrow(1.0 / 3);
      for (int i = 0; i < 20'000; ++i) {
        const auto released =
            *mean.release_totals(total, rows, PermitForTests::mint(mean.cost()), stream);
        EXPECT_EQ(released.mean.interval.kind, IntervalKind::kApproximate);
        at_95.add(released.mean, 93);
        narrow.add(released.mean, 93);
        at_30.add(mean.at_confidence(released, 0.3)->mean, 93);
      }
      testing::expect_accepts(at_95.at_least(0.95));
      testing::expect_accepts(at_30.at_least(0.3));
      if (rows < 5000) continue;
      testing::expect_rejects_wrong(narrow.at_least(0.95), "a third of the width");
      testing::expect_rejects_wrong(at_30.at_least(0.95), "an interval of 30% for 95%");
    }
  }
}

TEST(Mean, GivesIntervalsOfAnyConfidenceForOneRelease) {
  SecureStream stream = *SecureStream::create();
  const Mean mean = *Mean::create(column("0", "100"));
  const auto released =
      *mean.release(std::vector<double>(1000, 40), PermitForTests::mint(mean.cost()), stream);
  double width = 0;
  for (const double confidence : {0.1, 0.5, 0.9, 0.95, 0.999}) {
    const auto again = *mean.at_confidence(released, confidence);
    EXPECT_EQ(again.mean.value, released.mean.value);
    EXPECT_EQ(again.count.value, released.count.value);
    EXPECT_EQ(again.mean.interval.confidence, confidence);
    EXPECT_EQ(again.count.interval.confidence, confidence);
    EXPECT_GT(again.mean.interval.half_width, width);
    width = again.mean.interval.half_width;
  }
  EXPECT_EQ(mean.at_confidence(released, 0.95)->mean.interval, released.mean.interval);
  for (const double confidence : {0.0, 1.0, -1.0, std::nan("")}) {
    EXPECT_FALSE(mean.at_confidence(released, confidence));
  }
}

}  // namespace
}  // namespace tacit

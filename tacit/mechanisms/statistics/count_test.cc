#include "tacit/mechanisms/statistics/count.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tacit/mechanisms/testing/privacy_audit.h"
#include "tacit/privacy/testing/permit_for_tests.h"

namespace tacit {
namespace {

Rational number(const char* text) { return *Rational::parse(text); }

TEST(Count, SaysItsCostBeforeItRuns) {
  EXPECT_EQ(Count::create(Contribution{}, PureTarget{number("0.5")})->cost(),
            *Cost::leaf(cost::DiscreteLaplace{2, 1}));
  EXPECT_EQ(Count::create({Neighbours::kAddRemove, 3}, PureTarget{number("0.5")})->cost(),
            *Cost::leaf(cost::DiscreteLaplace{6, 3}));
  EXPECT_EQ(Count::create(Contribution{}, ZcdpTarget{number("0.5")})->cost(),
            *Cost::leaf(cost::DiscreteGaussian{1, 1, 1}));
  EXPECT_EQ(Count::create({Neighbours::kReplace, 1, false}, PureTarget{1})->cost(),
            *Cost::leaf(cost::DiscreteLaplace{1, 1}, Neighbours::kReplace));
}

TEST(Count, APublicCountIsNotSold) {
  EXPECT_FALSE(Count::create({Neighbours::kReplace, 1, true}, PureTarget{1}));
}

TEST(Count, RefusesWhatHasNoMeaning) {
  EXPECT_FALSE(Count::create({Neighbours::kAddRemove, 0}, PureTarget{1}));
  EXPECT_FALSE(Count::create(Contribution{}, PureTarget{0}));
  EXPECT_FALSE(Count::create(Contribution{}, ZcdpTarget{-1}));
  EXPECT_FALSE(Count::create(Contribution{}, ApproximateTarget{1, 0}));
  EXPECT_FALSE(Count::create({Neighbours::kAddRemove, std::uint64_t{1} << 40}, PureTarget{1}));
}

TEST(Count, CountsHugeTablesOnEveryGrid) {
  SecureStream stream = *SecureStream::create();
  constexpr std::uint64_t kRows = 50'000'000'000'000;
  for (const NoiseTarget& target : {NoiseTarget{PureTarget{1}}, NoiseTarget{ZcdpTarget{1}},
                                    NoiseTarget{ApproximateTarget{1, number("1e-6")}}}) {
    const Count count = *Count::create(Contribution{}, target);
    const auto released = *count.release(kRows, PermitForTests::mint(count.cost()), stream);
    EXPECT_NEAR(static_cast<double>(released.value), 5e13, 200);
    EXPECT_EQ(released.interval.kind, IntervalKind::kExact);
    EXPECT_EQ(released.interval.half_width, *count.half_width(0.95));
  }
}

TEST(Count, ManyRowsOfOneUnitAreStillWholeSteps) {
  SecureStream stream = *SecureStream::create();
  const Count count =
      *Count::create({Neighbours::kAddRemove, std::uint64_t{1} << 31}, PureTarget{1'000'000});
  const auto released = *count.release(1'000'000'000, PermitForTests::mint(count.cost()), stream);
  EXPECT_NEAR(static_cast<double>(released.value), 1e9, 200'000);
}

TEST(Count, ApproximateCountsUseTheNoiseOfTheAnalyticGaussian) {
  const Count count =
      *Count::create(Contribution{}, ApproximateTarget{number("0.5"), number("1e-5")});
  // sigma 7.0318: 1.96 sigma is 13.78, which rounds to 14.
  EXPECT_EQ(*count.half_width(0.95), 14);
}

TEST(Count, NeighboursCannotBeToldApart) {
  SecureStream stream = *SecureStream::create();
  constexpr std::uint64_t kTrials = 150'000;
  const testing::IntegerCells cells(95, 1, 14);
  const auto counts = [&](const Rational& epsilon, std::uint64_t rows) {
    const Count count = *Count::create(Contribution{}, PureTarget{epsilon});
    return testing::count_cells(kTrials, cells.size(), [&] {
      return cells(count.release(rows, PermitForTests::mint(count.cost()), stream)->value);
    });
  };
  testing::expect_accepts(testing::audit_privacy({1.0, 0}, {counts(1, 100), counts(1, 101)}));
  testing::expect_rejects_wrong(
      testing::audit_privacy({1.0, 0}, {counts(number("1.2"), 100), counts(number("1.2"), 101)}),
      "scale a sixth small");
  testing::expect_rejects_wrong(testing::audit_privacy({1.0, 0}, {counts(1, 100), counts(1, 102)}),
                                "a unit of two rows counted as one");
}

}  // namespace
}  // namespace tacit

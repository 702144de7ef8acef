#include "tacit/mechanisms/statistics/histogram.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tacit/mechanisms/testing/privacy_audit.h"
#include "tacit/privacy/testing/permit_for_tests.h"

namespace tacit {
namespace {

Rational number(const char* text) { return *Rational::parse(text); }

TEST(Histogram, CostsOneCountUnderAddRemoveAndTwoUnderReplace) {
  EXPECT_EQ(Histogram::create(100, {}, PureTarget{number("0.5")})->cost(),
            *Cost::leaf(cost::DiscreteLaplace{2, 1}));
  const Histogram replace = *Histogram::create(100, {Neighbours::kReplace}, PureTarget{1});
  EXPECT_EQ(replace.cost(), *Cost::leaf(cost::Pure{1}, Neighbours::kReplace));
  EXPECT_GT(*replace.half_width(0.95),
            *Histogram::create(100, {}, PureTarget{1})->half_width(0.95));
  EXPECT_EQ(Histogram::create(100, {Neighbours::kReplace}, ZcdpTarget{1})->cost(),
            *Cost::leaf(cost::DiscreteGaussian{1, 2, 100}, Neighbours::kReplace));
}

TEST(Histogram, RefusesWhatHasNoMeaning) {
  EXPECT_FALSE(Histogram::create(0, {}, PureTarget{1}));
  EXPECT_FALSE(Histogram::create(5, {}, PureTarget{0}));
  EXPECT_FALSE(Histogram::create(5, {Neighbours::kAddRemove, 0}, PureTarget{1}));
  EXPECT_FALSE(
      Histogram::create(5, {Neighbours::kAddRemove, std::uint64_t{1} << 33}, PureTarget{1}));
}

TEST(Histogram, ReleasesEveryBinOnEveryGrid) {
  SecureStream stream = *SecureStream::create();
  std::vector<std::uint64_t> counts(1000, 0);
  counts[7] = 1'000'000;
  for (const NoiseTarget& target : {NoiseTarget{PureTarget{1}}, NoiseTarget{ZcdpTarget{1}},
                                    NoiseTarget{ApproximateTarget{1, number("1e-6")}}}) {
    const Histogram histogram = *Histogram::create(counts.size(), {}, target);
    const auto released =
        *histogram.release(counts, PermitForTests::mint(histogram.cost()), stream);
    ASSERT_EQ(released.value.size(), counts.size());
    EXPECT_NEAR(static_cast<double>(released.value[7]), 1e6, 100);
    EXPECT_NEAR(static_cast<double>(released.value[8]), 0, 100);
    EXPECT_EQ(released.interval.half_width, *histogram.half_width(0.95));
  }
}

TEST(Histogram, TheNumberOfBinsIsFixed) {
  SecureStream stream = *SecureStream::create();
  const Histogram histogram = *Histogram::create(3, {}, PureTarget{1});
  EXPECT_FALSE(histogram.release(std::vector<std::uint64_t>{1, 2},
                                 PermitForTests::mint(histogram.cost()), stream));
}

TEST(Histogram, ReplacedRowsLeaveOneBinAndEnterAnother) {
  SecureStream stream = *SecureStream::create();
  constexpr std::uint64_t kTrials = 300'000;
  const testing::IntegerCells cells(-2, 1, 8);
  const auto counts = [&](const Histogram& histogram, std::vector<std::uint64_t> bins) {
    return testing::count_cells(kTrials, 64, [&] {
      const auto noisy =
          histogram.release(bins, PermitForTests::mint(histogram.cost()), stream)->value;
      return cells(noisy[0]) * 8 + cells(noisy[1]);
    });
  };
  const auto verdict = [&](const Contribution& contribution) {
    const Histogram histogram = *Histogram::create(2, contribution, PureTarget{2});
    return testing::audit_privacy({2.0, 0}, {counts(histogram, {2, 1}), counts(histogram, {1, 2})});
  };
  testing::expect_accepts(verdict({Neighbours::kReplace}));
  testing::expect_rejects_wrong(verdict({Neighbours::kAddRemove}), "the changed row counted once");
}

TEST(BinEdges, SortsEveryDoubleIntoOneBinOrNone) {
  const BinEdges edges = *BinEdges::create({0, 10, 20});
  const std::vector<double> values{
      -1, 0, 9.999, 10, 20, 20.1, std::nan(""), -0.0, std::numeric_limits<double>::infinity()};
  EXPECT_EQ(edges.count(values), (std::vector<std::uint64_t>{3, 2}));
  EXPECT_EQ(edges.bins(), 2U);
}

TEST(BinEdges, RefusesEdgesThatDoNotAscend) {
  EXPECT_FALSE(BinEdges::create({}));
  EXPECT_FALSE(BinEdges::create({1}));
  EXPECT_FALSE(BinEdges::create({1, 1}));
  EXPECT_FALSE(BinEdges::create({2, 1}));
  EXPECT_FALSE(BinEdges::create({0, std::nan(""), 1}));
  EXPECT_FALSE(BinEdges::create({std::nan(""), 1}));
}

}  // namespace
}  // namespace tacit

#include "tacit/mechanisms/partition/noisy_threshold.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tacit/mechanisms/partition/testing/partition_outcomes.h"
#include "tacit/mechanisms/partition/thresholds.h"
#include "tacit/mechanisms/selection/testing/run_mechanism.h"
#include "tacit/mechanisms/testing/goodness_of_fit.h"
#include "tacit/mechanisms/testing/privacy_audit.h"
#include "tacit/privacy/gaussian_dp.h"
#include "tacit/privacy/pure.h"
#include "tacit/privacy/testing/shared_vectors.h"

namespace tacit {
namespace {

using testing::hidden_and_shown;
using testing::number;
using testing::refusal;
using testing::run;
using testing::system_stream;

NoisyThreshold laplace(PartitionPrivacy privacy) {
  return NoisyThreshold::laplace(std::move(privacy)).value();
}

double laplace_tail(double scale, std::int64_t t) {
  const double y = std::exp(-1 / scale);
  if (t <= 0) return 1 - std::pow(y, static_cast<double>(1 - t)) / (1 + y);
  return std::pow(y, static_cast<double>(t)) / (1 + y);
}

TEST(LaplaceThreshold, FollowsItsLawAndShowsAtTheThreshold) {
  const auto groups = laplace({.epsilon = number("0.5"), .delta = number("0.02")});
  for (const std::uint64_t units : {1U, 5U, 8U, 12U}) {
    const auto law = [&](double scale, int strict) {
      const double shown =
          laplace_tail(scale, groups.threshold() - static_cast<std::int64_t>(units) + strict);
      return std::vector{1 - shown, shown};
    };
    const auto counts = hidden_and_shown(groups, units);
    testing::expect_accepts(testing::fits_law(counts, law(2, 0)));
    testing::expect_rejects_wrong(testing::fits_law(counts, law(2, 1)), "> for >=");
    if (units == 8) continue;  // at the threshold itself the scale matters little
    testing::expect_rejects_wrong(testing::fits_law(counts, law(1.8, 0)), "scale 10% small");
  }
}

TEST(LaplaceThreshold, KeepsItsPromiseOnNeighbours) {
  const auto audit = [](const NoisyThreshold& groups, std::uint64_t units) {
    return testing::audit_privacy(
        {.epsilon = 0.5, .delta = 0.02},
        {hidden_and_shown(groups, units), hidden_and_shown(groups, units + 1)});
  };
  const auto right = laplace({.epsilon = number("0.5"), .delta = number("0.02")});
  for (const std::uint64_t units : {0U, 1U, 5U, 9U}) testing::expect_accepts(audit(right, units));
  testing::expect_rejects_wrong(
      audit(laplace({.epsilon = number("0.5"), .delta = number("0.04")}), 0), "twice the delta");
}

// A unit alone in four groups is betrayed by any of them. A threshold that gives all of delta to
// each group betrays it four times as often.
TEST(Regression, GroupCapIgnoredInTau) {
  const PartitionPrivacy privacy{.epsilon = 2, .delta = number("0.02"), .groups_per_unit = 4};
  const auto right = laplace(privacy);
  const std::vector<GroupCount> alone(4, {"key", 1});
  constexpr std::uint64_t kTrials = 100'000;
  const auto betrayed =
      testing::count_cells(kTrials, 2, [&] { return run(right, alone).empty() ? 0 : 1; });
  const testing::CellCounts never{kTrials, 0};
  const testing::Claim claim{.epsilon = 2, .delta = 0.02};
  testing::expect_accepts(testing::audit_privacy(claim, {betrayed, never}));

  const std::int64_t wrong = 1 + discrete_laplace_tail_point(2, privacy.delta).value();
  ASSERT_LT(wrong, right.threshold());
  const auto noise = DiscreteLaplace::create(2).value();
  const auto betrayed_by_wrong = testing::count_cells(kTrials, 2, [&] {
    int shown = 0;
    for (int group = 0; group < 4; ++group) shown |= 1 + noise.sample(system_stream()) >= wrong;
    return shown;
  });
  testing::expect_rejects_wrong(testing::audit_privacy(claim, {betrayed_by_wrong, never}),
                                "group cap ignored in tau");
}

TEST(LaplaceThreshold, SaysItsCostBeforehand) {
  const auto groups = laplace({.epsilon = 2, .delta = number("0.02"), .groups_per_unit = 4});
  const Cost noise = Cost::repeat(4, Cost::leaf(cost::DiscreteLaplace{2, 1}).value()).value();
  const Cost hidden = Cost::leaf(cost::Approximate{0, number("0.02")}).value();
  EXPECT_EQ(groups.cost(), Cost::compose({noise, hidden}).value());
  EXPECT_EQ(pure_epsilon(noise).value(), Rational(2));
  const auto replace = laplace({.epsilon = 2,
                                .delta = number("0.02"),
                                .groups_per_unit = 4,
                                .neighbours = Neighbours::kReplace});
  EXPECT_EQ(replace.cost(), Cost::as_replace(groups.cost()).value());
}

TEST(LaplaceThreshold, ShowsKeysInOrderWithCountsAndNeverAnAbsentOne) {
  const auto groups = laplace({.epsilon = number("0.1"), .delta = number("0.4")});
  const std::vector<GroupCount> counts{{"pear", 1'000'000}, {"absent", 0}, {"apple", 2'000'000}};
  for (int i = 0; i < 1000; ++i) {
    const auto shown = run(groups, counts);
    ASSERT_EQ(shown.size(), 2U);
    EXPECT_EQ(shown[0].key, "apple");
    EXPECT_EQ(shown[1].key, "pear");
    EXPECT_NEAR(static_cast<double>(shown[1].noisy_units), 1e6, 1000);
  }
}

NoisyThreshold gaussian(std::string_view variance, std::string_view delta,
                        std::uint64_t groups_per_unit = 1) {
  return NoisyThreshold::gaussian({.variance = number(variance),
                                   .threshold_delta = number(delta),
                                   .groups_per_unit = groups_per_unit})
      .value();
}

double gaussian_tail(double variance, std::int64_t t) {
  double tail = 0;
  double sum = 0;
  for (std::int64_t z = -300; z <= 300; ++z) {
    const double weight = std::exp(-static_cast<double>(z * z) / (2 * variance));
    sum += weight;
    if (z >= t) tail += weight;
  }
  return tail / sum;
}

TEST(GaussianThreshold, FollowsItsLawAndHidesWhoIsAlone) {
  const auto groups = gaussian("9", "0.02");
  for (const std::int64_t units : {1, 6, 9}) {
    const auto counts = hidden_and_shown(groups, static_cast<std::uint64_t>(units));
    const auto law = [&](double variance) {
      const double shown = gaussian_tail(variance, groups.threshold() - units);
      return std::vector{1 - shown, shown};
    };
    testing::expect_accepts(testing::fits_law(counts, law(9)));
    if (units == 6) continue;
    testing::expect_rejects_wrong(testing::fits_law(counts, law(7.29)), "scale 10% small");
  }
  EXPECT_LE(gaussian_tail(9, groups.threshold() - 1), 0.02);
}

TEST(GaussianThreshold, DividesDeltaOverTheGroupsOfAUnit) {
  const auto groups = gaussian("9", "0.02", 4);
  EXPECT_LE(4 * gaussian_tail(9, groups.threshold() - 1), 0.02);
  EXPECT_GT(groups.threshold(), gaussian("9", "0.02").threshold());
  const Cost noise = Cost::leaf(cost::DiscreteGaussian{9, 4, 4}).value();
  const Cost hidden = Cost::leaf(cost::Approximate{0, number("0.02")}).value();
  EXPECT_EQ(groups.cost(), Cost::compose({noise, hidden}).value());
}

// The parts of the cost of a threshold with Gaussian noise.
struct GaussianParts {
  cost::DiscreteGaussian noise;
  Rational threshold_delta;

  // Of the noise, over how far a unit moves the counts.
  [[nodiscard]] double multiplier() const {
    return std::sqrt(noise.variance.approximate() / static_cast<double>(noise.squared_sensitivity));
  }
};

GaussianParts parts_of(const NoisyThreshold& groups) {
  const auto& parts = std::get<cost::Compose>(groups.cost().node()).parts;
  return {std::get<cost::DiscreteGaussian>(parts.at(0).node()),
          std::get<cost::Approximate>(parts.at(1).node()).delta};
}

TEST(GaussianThreshold, StaysWithinATotalGuarantee) {
  for (const std::uint64_t cap : {1U, 3U, 100U}) {
    for (const char* epsilon : {"0.01", "0.5", "4"}) {
      const PartitionPrivacy privacy{
          .epsilon = number(epsilon), .delta = number("1e-6"), .groups_per_unit = cap};
      const GaussianParts parts = parts_of(NoisyThreshold::gaussian(privacy).value());
      ASSERT_LT(parts.threshold_delta, privacy.delta);
      const double left = (privacy.delta - parts.threshold_delta).approximate();
      // Balle and Wang's formula at the noise used, and what theorem 2 of ../gaussian adds.
      const double needed = gaussian_delta(1 / parts.multiplier(), privacy.epsilon.approximate());
      EXPECT_LE(needed, left);
      EXPECT_GE(needed, 0.995 * left);
      EXPECT_EQ(parts.noise.coordinates, cap);
    }
  }
}

// A tenth of a standard deviation is what the bound on the tail may waste, and a count is whole.
TEST(GaussianThreshold, NoOtherSplitOfDeltaGivesALowerThreshold) {
  for (const std::uint64_t cap : {1U, 20U}) {
    const PartitionPrivacy privacy{
        .epsilon = number("0.2"), .delta = number("1e-8"), .groups_per_unit = cap};
    const auto groups = NoisyThreshold::gaussian(privacy).value();
    for (double share = 0.0005; share < 1; share += 0.0117) {
      const double multiplier =
          analytic_gaussian_multiplier(0.2, 1e-8 * (1 - share)).value() * std::sqrt(cap);
      const double probability = 1e-8 * share / static_cast<double>(cap);
      const auto above_one = static_cast<double>(groups.threshold() - 2) - 0.1 * multiplier;
      EXPECT_GE(std::erfc(above_one / multiplier / std::sqrt(2.0)) / 2, probability) << share;
    }
  }
}

using GaussianThresholdVectors = SharedVectors;

TEST_F(GaussianThresholdVectors, AreMet) {
  for (const auto& entry : vectors_.at("analytic_gaussian_sigma")) {
    const double epsilon = entry.at(0);
    const double delta = entry.at(1);
    const double sigma = entry.at(2);
    const PartitionPrivacy privacy{Rational::decimal(epsilon).value(),
                                   Rational::decimal(delta).value()};
    const auto groups = NoisyThreshold::gaussian(privacy);
    ASSERT_TRUE(groups) << refusal(groups);
    // Part of delta pays for the threshold, so there is more noise, but little.
    EXPECT_GT(parts_of(*groups).multiplier(), sigma) << epsilon << " " << delta;
    EXPECT_LT(parts_of(*groups).multiplier(), 1.15 * sigma) << epsilon << " " << delta;
  }
}

TEST(GaussianThreshold, KeepsATotalPromiseOnNeighbours) {
  const auto audit = [](const char* epsilon, const char* delta, std::uint64_t units) {
    const auto groups =
        NoisyThreshold::gaussian(PartitionPrivacy{number(epsilon), number(delta)}).value();
    return testing::audit_privacy(
        {.epsilon = 0.5, .delta = 0.02},
        {hidden_and_shown(groups, units), hidden_and_shown(groups, units + 1)});
  };
  for (const std::uint64_t units : {0U, 1U, 6U, 12U}) {
    testing::expect_accepts(audit("0.5", "0.02", units));
  }
  testing::expect_rejects_wrong(audit("0.5", "0.3", 0), "fifteen times the delta");
}

TEST(GaussianThreshold, ShowsWholeCountsFromTheThresholdOn) {
  const auto groups =
      NoisyThreshold::gaussian(PartitionPrivacy{.epsilon = 1, .delta = number("1e-4")}).value();
  const auto at = static_cast<std::uint64_t>(groups.threshold());
  const std::vector<std::uint64_t> units(10'000, at);
  const auto shown =
      groups.select(units, testing::permit_for(groups.cost()), system_stream()).value().value;
  EXPECT_NEAR(static_cast<double>(shown.size()), 5000, 500);
  for (const NoisyIndex& group : shown) EXPECT_GE(group.noisy_units, groups.threshold());
}

TEST(NoisyThreshold, SelectsByIndex) {
  const auto groups = laplace({.epsilon = number("0.1"), .delta = number("0.4")});
  const std::vector<std::uint64_t> units{1'000'000, 0, 2'000'000};
  const auto shown =
      groups.select(units, testing::permit_for(groups.cost()), system_stream()).value().value;
  ASSERT_EQ(shown.size(), 2U);
  EXPECT_EQ(shown[0].index, 0U);
  EXPECT_EQ(shown[1].index, 2U);
  EXPECT_NEAR(static_cast<double>(shown[1].noisy_units), 2e6, 1000);
}

TEST(NoisyThreshold, RefusesWhatHasNoMeaning) {
  EXPECT_NE(refusal(NoisyThreshold::gaussian(PartitionPrivacy{0, number("0.1")})), "");
  EXPECT_NE(refusal(NoisyThreshold::gaussian(PartitionPrivacy{1, 0})), "");
  EXPECT_NE(refusal(NoisyThreshold::gaussian(PartitionPrivacy{100, number("1e-6")})), "");

  EXPECT_NE(refusal(NoisyThreshold::laplace({.epsilon = 0, .delta = number("0.1")})), "");
  EXPECT_NE(refusal(NoisyThreshold::laplace({.epsilon = 1, .delta = 0})), "");
  EXPECT_NE(refusal(NoisyThreshold::gaussian({.variance = 0, .threshold_delta = number("0.1")})),
            "");
  EXPECT_NE(refusal(NoisyThreshold::gaussian({.variance = 1, .threshold_delta = 0})), "");
}

}  // namespace
}  // namespace tacit

#include "tacit/mechanisms/partition/noisy_threshold.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tacit/mechanisms/partition/thresholds.h"
#include "tacit/mechanisms/selection/testing/run_mechanism.h"
#include "tacit/mechanisms/testing/goodness_of_fit.h"
#include "tacit/mechanisms/testing/privacy_audit.h"
#include "tacit/privacy/pure.h"

namespace tacit {
namespace {

using testing::number;
using testing::refusal;
using testing::run;
using testing::system_stream;

constexpr std::size_t kGroups = 200'000;

NoisyThreshold laplace(PartitionPrivacy privacy) {
  return NoisyThreshold::laplace(std::move(privacy)).value();
}

testing::CellCounts outcomes(const NoisyThreshold& mechanism, std::uint64_t units) {
  const std::vector<GroupCount> groups(kGroups, {"key", units});
  const std::uint64_t shown = run(mechanism, groups).size();
  return {kGroups - shown, shown};
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
    const auto counts = outcomes(groups, units);
    testing::expect_accepts(testing::fits_law(counts, law(2, 0)));
    testing::expect_rejects_wrong(testing::fits_law(counts, law(2, 1)), "> for >=");
    if (units == 8) continue;  // at the threshold itself the scale matters little
    testing::expect_rejects_wrong(testing::fits_law(counts, law(1.8, 0)), "scale 10% small");
  }
}

TEST(LaplaceThreshold, KeepsItsPromiseOnNeighbours) {
  const auto audit = [](const NoisyThreshold& groups, std::uint64_t units) {
    return testing::audit_privacy({.epsilon = 0.5, .delta = 0.02},
                                  {outcomes(groups, units), outcomes(groups, units + 1)});
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
    const auto counts = outcomes(groups, static_cast<std::uint64_t>(units));
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

TEST(NoisyThreshold, RefusesWhatHasNoMeaning) {
  EXPECT_NE(refusal(NoisyThreshold::laplace({.epsilon = 0, .delta = number("0.1")})), "");
  EXPECT_NE(refusal(NoisyThreshold::laplace({.epsilon = 1, .delta = 0})), "");
  EXPECT_NE(refusal(NoisyThreshold::gaussian({.variance = 0, .threshold_delta = number("0.1")})),
            "");
  EXPECT_NE(refusal(NoisyThreshold::gaussian({.variance = 1, .threshold_delta = 0})), "");
}

}  // namespace
}  // namespace tacit

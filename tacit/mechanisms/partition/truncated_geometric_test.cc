#include "tacit/mechanisms/partition/truncated_geometric.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tacit/mechanisms/partition/testing/partition_outcomes.h"
#include "tacit/mechanisms/selection/testing/run_mechanism.h"
#include "tacit/mechanisms/testing/goodness_of_fit.h"
#include "tacit/mechanisms/testing/privacy_audit.h"
#include "tacit/privacy/accountant.h"
#include "tacit/privacy/testing/shared_vectors.h"

namespace tacit {
namespace {

using testing::hidden_and_shown;
using testing::number;
using testing::refusal;
using testing::run;

TruncatedGeometric mechanism(PartitionPrivacy privacy) {
  return TruncatedGeometric::create(std::move(privacy)).value();
}

// The definition: as much as the two inequalities of differential privacy allow, one unit at a
// time.
std::vector<long double> by_recurrence(long double epsilon, long double delta, std::size_t most) {
  std::vector<long double> p{0};
  while (p.size() <= most) {
    p.push_back(std::min({std::exp(epsilon) * p.back() + delta,
                          1 - std::exp(-epsilon) * (1 - p.back() - delta), 1.0L}));
  }
  return p;
}

using TruncatedGeometricVectors = SharedVectors;

TEST_F(TruncatedGeometricVectors, AreMet) {
  const auto& reference = vectors_.at("partition_selection");
  const auto keep = mechanism({.epsilon = Rational::decimal(reference.at("epsilon")).value(),
                               .delta = Rational::decimal(reference.at("delta")).value()});
  for (const auto& entry : reference.at("keep_probability")) {
    EXPECT_NEAR(keep.keep_probability(entry.at(0)), entry.at(1).get<double>(), 1e-10);
  }
  const auto& crossovers = reference.at("crossovers");
  EXPECT_EQ(keep.crossover(), crossovers.at(0).get<std::uint64_t>());
  const std::uint64_t certain = crossovers.at(1).get<std::uint64_t>() + 1;
  EXPECT_LT(keep.keep_probability(certain - 1), 1);
  EXPECT_EQ(keep.keep_probability(certain), 1);
}

TEST(TruncatedGeometric, ClosedFormAgreesWithTheRecurrence) {
  for (const char* epsilon : {"0.01", "0.5", "1", "20"}) {
    for (const char* delta : {"0.4", "0.02", "1e-10"}) {
      const auto keep = mechanism({.epsilon = number(epsilon), .delta = number(delta)});
      const auto expected =
          by_recurrence(number(epsilon).approximate(), number(delta).approximate(), 3000);
      for (std::size_t n = 0; n < expected.size(); n += n < 50 ? 1 : 97) {
        const auto p = static_cast<double>(expected[n]);
        EXPECT_NEAR(keep.keep_probability(n), p, 1e-9 * p) << epsilon << " " << delta << " " << n;
      }
    }
  }
}

TEST(TruncatedGeometric, FollowsItsLaw) {
  const PartitionPrivacy privacy{.epsilon = number("0.5"), .delta = number("0.02")};
  PartitionPrivacy wrong = privacy;
  wrong.epsilon = number("0.55");
  const auto expected = by_recurrence(0.5L, 0.02L, 20);
  for (const std::size_t units : {1U, 3U, 6U, 8U, 11U}) {
    const auto p = static_cast<double>(expected[units]);
    const std::vector<double> law{1 - p, p};
    testing::expect_accepts(testing::fits_law(hidden_and_shown(mechanism(privacy), units), law));
    if (units == 1) continue;  // its law is delta, whatever epsilon
    testing::expect_rejects_wrong(testing::fits_law(hidden_and_shown(mechanism(wrong), units), law),
                                  "epsilon 10% large");
  }
  EXPECT_EQ(hidden_and_shown(mechanism(privacy), 12)[0], 0U);
}

TEST(TruncatedGeometric, KeepsItsPromiseOnNeighbours) {
  const auto audit = [](const PartitionPrivacy& privacy, std::uint64_t units) {
    const auto keep = mechanism(privacy);
    return testing::audit_privacy(
        {.epsilon = 0.5, .delta = 0.02},
        {hidden_and_shown(keep, units), hidden_and_shown(keep, units + 1)});
  };
  for (const std::uint64_t units : {0U, 2U, 5U, 8U, 11U}) {
    testing::expect_accepts(audit({.epsilon = number("0.5"), .delta = number("0.02")}, units));
  }
  for (const std::uint64_t units : {0U, 2U, 5U}) {
    testing::expect_rejects_wrong(audit({.epsilon = number("0.5"), .delta = number("0.06")}, units),
                                  "three times the delta");
  }
  testing::expect_rejects_wrong(audit({.epsilon = number("0.7"), .delta = number("0.02")}, 5),
                                "epsilon 0.7 for 0.5");
}

TEST(TruncatedGeometric, DividesEpsilonAndDeltaOverTheGroupsOfAUnit) {
  const auto keep = mechanism({.epsilon = 2, .delta = number("0.08"), .groups_per_unit = 4});
  const auto one = mechanism({.epsilon = number("0.5"), .delta = number("0.02")});
  for (std::uint64_t units = 0; units < 15; ++units) {
    EXPECT_EQ(keep.keep_probability(units), one.keep_probability(units));
  }
  EXPECT_EQ(one.cost(),
            Cost::leaf(cost::PartitionSelection{number("0.5"), number("0.02")}).value());
  EXPECT_EQ(keep.cost(), Cost::repeat(4, one.cost()).value());
}

TEST(TruncatedGeometric, StatesABareCostThatIsTheSameForAllNumbersOfGroups) {
  const Cost bare = Cost::leaf(cost::Approximate{number("0.5"), number("1e-6")}).value();
  for (const std::uint64_t groups : {1U, 4U, 1000U}) {
    PartitionPrivacy privacy{
        .epsilon = number("0.5"), .delta = number("1e-6"), .groups_per_unit = groups};
    const auto made = mechanism(privacy);
    EXPECT_EQ(made.with_bare_cost()->cost(), bare);
    EXPECT_EQ(made.with_bare_cost()->keep_probability(7), made.keep_probability(7));
    const auto basic = prove_epsilon(Accountant::kBasic, made.cost(), 1.000001e-6);
    ASSERT_TRUE(basic) << basic.error().message();
    EXPECT_LE(basic->upper, 0.5 + 1e-9) << "no more than it states";
    privacy.neighbours = Neighbours::kReplace;
    EXPECT_EQ(mechanism(privacy).with_bare_cost()->cost(), Cost::as_replace(bare).value());
  }
}

TEST(TruncatedGeometric, ShowsKeysInOrderAndNeverAnAbsentOne) {
  const auto keep = mechanism({.epsilon = 1, .delta = number("0.4")});
  const std::vector<GroupCount> groups{{"pear", 1000}, {"absent", 0}, {"apple", 1000}};
  EXPECT_EQ(run(keep, groups), (std::vector<std::string>{"apple", "pear"}));
  EXPECT_TRUE(run(keep, std::vector<GroupCount>{}).empty());
}

TEST(TruncatedGeometric, SelectsByIndex) {
  const auto keep = mechanism({.epsilon = 1, .delta = number("0.4")});
  const std::vector<std::uint64_t> units{1000, 0, 2000, 0, 3000};
  const auto shown =
      keep.select(units, testing::permit_for(keep.cost()), testing::system_stream()).value();
  EXPECT_EQ(shown.value, (std::vector<std::size_t>{0, 2, 4}));
}

TEST(TruncatedGeometric, WorksAtExtremes) {
  const auto tiny = mechanism({.epsilon = number("1e-6"), .delta = number("1e-15")});
  EXPECT_NEAR(tiny.keep_probability(1) * 1e15, 1, 1e-9);
  EXPECT_EQ(tiny.keep_probability(std::uint64_t{1} << 40), 1);
  const auto large = mechanism({.epsilon = 1000, .delta = number("1e-100")});
  EXPECT_EQ(large.crossover(), 1U);
  EXPECT_EQ(large.keep_probability(3), 1);
  EXPECT_NE(refusal(TruncatedGeometric::create({.epsilon = 0, .delta = number("0.1")})), "");
}

}  // namespace
}  // namespace tacit

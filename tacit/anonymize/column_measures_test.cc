// Values computed by hand on eight rows; see testing/letters.h.
#include <gtest/gtest.h>

#include <cmath>

#include "tacit/anonymize/measure.h"
#include "tacit/anonymize/testing/letters.h"

namespace tacit::anonymize {
namespace {

class ColumnMeasures : public ::testing::Test {
 protected:
  testing::Letters table_;
};

// A letter of a pair stands for half of the leaves, (1/2 - 1/4) / (1 - 1/4) = 1/3 of what there is
// to lose; a sign at the top has lost all.
TEST_F(ColumnMeasures, LossIsTheGeometricMeanOfColumns) {
  const auto loss = loss_measure(table_.records(), table_.hierarchies());
  constexpr double kDropped = 1e-9;  // ten decimals are kept
  EXPECT_EQ(table_.score(*loss, {0, 0}, 1), 0);
  EXPECT_NEAR(table_.score(*loss, {1, 0}, 1), std::sqrt((1 + 1. / 3) * 1) - 1, kDropped);
  EXPECT_NEAR(table_.score(*loss, {1, 1}, 1), std::sqrt((1 + 1. / 3) * 2) - 1, kDropped);
  EXPECT_NEAR(table_.score(*loss, {2, 1}, 1), 1, kDropped);
  // Two of eight rows are suppressed: letters lose (6/3 + 2)/8, signs 2/8.
  EXPECT_NEAR(table_.score(*loss, {1, 0}, 3), std::sqrt(1.5 * 1.25) - 1, kDropped);
}

// Sums of many rounded parts come out a little above or below.
TEST(Loss, OfNothingIsNothing) {
  for (std::uint32_t leaves = 2; leaves < 100; ++leaves) {
    std::vector<std::vector<std::string>> lines;
    RecordsBuilder builder(1, 0);
    for (std::uint32_t leaf = 0; leaf < leaves; ++leaf) {
      lines.push_back({std::to_string(leaf), "*"});
      builder.add(std::vector{leaf}, {}, 1'000'003 + (7919 * std::uint64_t{leaf}));
    }
    const std::vector hierarchies{Hierarchy::create(lines, "leaf").value()};
    const Records records = std::move(builder).build();
    EXPECT_GE(loss_measure(records, hierarchies)->bound({0}, {}), 0) << leaves;
  }
}

TEST_F(ColumnMeasures, LossTakesWeights) {
  const auto weighted = loss_measure(table_.records(), table_.hierarchies(),
                                     {.columns = {3, 1}, .generalization = 0.5, .suppression = 2});
  constexpr double kDropped = 1e-9;
  EXPECT_NEAR(table_.score(*weighted, {1, 0}, 1), std::pow(1 + 0.5 / 3, 0.75) - 1, kDropped);
  // Letters: all lose a third at half price, two rows the other two thirds at twice the price.
  const double letters = (0.5 / 3) + (2. / 8 * 2 * 2 / 3);
  const double signs = 2. / 8 * 2;
  EXPECT_NEAR(table_.score(*weighted, {1, 0}, 3),
              std::pow(1 + letters, 0.75) * std::pow(1 + signs, 0.25) - 1, kDropped);
}

// At level 1, a has 4 of 6 rows, b 2 of 6, c and d 1 of 2.
TEST_F(ColumnMeasures, EntropyCountsBits) {
  const auto entropy = entropy_measure(table_.records(), table_.hierarchies());
  const double letters = (4 * std::log2(6. / 4)) + (2 * std::log2(6. / 2)) + 2;
  const double signs = (6 * std::log2(8. / 6)) + (2 * std::log2(8. / 2));
  EXPECT_DOUBLE_EQ(table_.score(*entropy, {1, 0}, 1), letters);
  EXPECT_DOUBLE_EQ(table_.score(*entropy, {1, 1}, 1), letters + signs);
  // All at the top: 8 times the entropy of 1/2, 1/4, 1/8, 1/8, which is 1.75 bits.
  EXPECT_DOUBLE_EQ(table_.score(*entropy, {2, 0}, 1), 14);
  // Suppressed rows count as kept.
  EXPECT_DOUBLE_EQ(table_.score(*entropy, {1, 0}, 3), letters);
}

// The two rows of c and d lose their letters, of 3 bits each, and their signs, of 2 bits each.
TEST_F(ColumnMeasures, EntropyMayCountWhatIsSuppressed) {
  const auto entropy = entropy_measure(table_.records(), table_.hierarchies(), Suppressed::kAsLost);
  const double kept = (4 * std::log2(6. / 4)) + (2 * std::log2(6. / 2));
  EXPECT_DOUBLE_EQ(table_.score(*entropy, {1, 0}, 1), kept + 2);
  EXPECT_DOUBLE_EQ(table_.score(*entropy, {1, 0}, 3), kept + (2 * 3) + (2 * 2));
  // At the top nothing is left to lose.
  EXPECT_DOUBLE_EQ(table_.score(*entropy, {2, 1}, 9), table_.score(*entropy, {2, 1}, 1));
}

TEST_F(ColumnMeasures, PrecisionIsTheMeanHeight) {
  const auto precision = precision_measure(table_.records(), table_.hierarchies());
  EXPECT_DOUBLE_EQ(table_.score(*precision, {0, 0}, 1), 0);
  EXPECT_DOUBLE_EQ(table_.score(*precision, {1, 0}, 1), 0.25);
  EXPECT_DOUBLE_EQ(table_.score(*precision, {1, 1}, 1), 0.75);
  // Six rows have (1/2 + 0)/2, two have 1.
  EXPECT_DOUBLE_EQ(table_.score(*precision, {1, 0}, 3), ((6 * 0.25) + 2) / 8);
  const auto letters =
      precision_measure(table_.records(), table_.hierarchies(), {.columns = {1, 0}});
  EXPECT_DOUBLE_EQ(table_.score(*letters, {1, 1}, 1), 0.5);
}

// What suppression costs is told from the node itself, and is a bound below it.
TEST_F(ColumnMeasures, BoundsAreBelowScores) {
  Grouper grouper(table_.records(), table_.hierarchies());
  const auto loss = loss_measure(table_.records(), table_.hierarchies());
  const Classes pairs = grouper.coarsen(grouper.finest(), {1, 0});
  const std::vector<std::uint8_t> is_kept{1, 0};
  const auto lost =
      loss->lost({.codes = grouper.codes(), .classes = pairs, .is_kept = is_kept, .suppressed = 2});
  EXPECT_DOUBLE_EQ(loss->bound({1, 0}, lost), table_.score(*loss, {1, 0}, 3));
  EXPECT_LE(loss->bound({0, 0}, lost), table_.score(*loss, {0, 0}, 3));
  EXPECT_GT(loss->bound({0, 0}, lost), loss->bound({0, 0}));
}

}  // namespace
}  // namespace tacit::anonymize

#include "tacit/anonymize/criteria/risk_threshold.h"

#include <gtest/gtest.h>

#include <array>

namespace tacit::anonymize {
namespace {

TEST(RiskThreshold, MostRiskIsAClassSize) {
  EXPECT_EQ(most_risk(0.2)->least_rows(), 5U);
  EXPECT_EQ(most_risk(0.15)->least_rows(), 7U);
  EXPECT_EQ(most_risk(1)->least_rows(), 1U);
}

class Sizes : public ::testing::Test {
 protected:
  void SetUp() override {
    RecordsBuilder builder(1, 0);
    for (std::uint32_t i = 0; i < 3; ++i) builder.add(std::array{i}, {}, rows_[i]);
    records_ = std::move(builder).build();
  }
  [[nodiscard]] Classes classes() const { return Grouper(records_, hierarchies_).finest(); }

  std::array<std::uint64_t, 3> rows_{1, 2, 7};
  Records records_;
  std::vector<Hierarchy> hierarchies_{
      Hierarchy::create({{"a", "*"}, {"b", "*"}, {"c", "*"}}, "letter").value()};
};

TEST_F(Sizes, AverageRiskIsClassesByRowsThatStay) {
  EXPECT_TRUE(average_risk(0.3)->holds(classes(), std::array<std::uint8_t, 3>{1, 1, 1}));
  EXPECT_FALSE(average_risk(0.29)->holds(classes(), std::array<std::uint8_t, 3>{1, 1, 1}));
  EXPECT_TRUE(average_risk(0.29)->holds(classes(), std::array<std::uint8_t, 3>{0, 1, 1}));
  EXPECT_TRUE(average_risk(0)->holds(classes(), std::array<std::uint8_t, 3>{0, 0, 0}));
}

TEST_F(Sizes, PopulationUniquenessLooksAtSampleUniquesThatStay) {
  EXPECT_FALSE(
      population_uniqueness(0.01, 0.5)->holds(classes(), std::array<std::uint8_t, 3>{1, 1, 1}));
  EXPECT_TRUE(
      population_uniqueness(0.01, 0.5)->holds(classes(), std::array<std::uint8_t, 3>{0, 1, 1}));
}

}  // namespace
}  // namespace tacit::anonymize

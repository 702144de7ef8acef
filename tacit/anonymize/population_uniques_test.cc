#include "tacit/anonymize/population_uniques.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tacit/anonymize/testing/adult.h"

namespace tacit::anonymize {
namespace {

TEST(PopulationUniques, MeetsTheVectors) {
  const auto file = testing::shared() / "vectors" / "anonymization.json";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << file << " is not there: set TACIT_SHARED";
  const auto risk = nlohmann::json::parse(std::ifstream(file)).at("adult_risk");
  ClassSizes sizes;
  for (const std::uint64_t count : testing::table_of(testing::adult_rows()).records.counts) {
    sizes.add(count);
  }
  const auto rows = static_cast<double>(sizes.rows());
  EXPECT_DOUBLE_EQ(static_cast<double>(sizes.count()) / rows, risk.at("average"));
  EXPECT_DOUBLE_EQ(static_cast<double>(sizes.of_size(1)) / rows, risk.at("unique_fraction"));
  for (const auto& given : risk.at("population_uniques_by_sampling_fraction_dankar")) {
    const PopulationUniques uniques = population_uniques(sizes, given[0]);
    EXPECT_NEAR(uniques.dankar(), given[1], 5e-5) << given.dump();
    EXPECT_TRUE(uniques.pitman && uniques.zayatz);
  }
}

TEST(PopulationUniques, KnowsTheEnds) {
  ClassSizes none;
  none.add(3, 10);
  none.add(0);
  EXPECT_EQ(none.rows(), 30U);
  EXPECT_EQ(none.count(), 10U);
  EXPECT_EQ(population_uniques(none, 0.1).dankar(), 0);
  // The sample is the population.
  ClassSizes all;
  all.add(1, 40);
  all.add(2, 20);
  all.add(5, 4);
  EXPECT_NEAR(*population_uniques(all, 1).zayatz, 0.4, 1e-9);
  EXPECT_NEAR(*population_uniques(all, 1).slide_negative_binomial, 0.4, 1e-9);
  // All rows differ: no model but Zayatz' has anything to go by.
  ClassSizes ones;
  ones.add(1, 50);
  EXPECT_FALSE(population_uniques(ones, 0.05).pitman);
  EXPECT_NEAR(population_uniques(ones, 0.05).dankar(), 1, 1e-9);
}

}  // namespace
}  // namespace tacit::anonymize

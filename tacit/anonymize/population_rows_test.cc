#include "tacit/anonymize/population_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tacit/anonymize/testing/small_table.h"

namespace tacit::anonymize {
namespace {

using ::testing::HasSubstr;

TEST(PopulationRows, CountsCombinations) {
  const Scratch folder;
  std::ofstream(folder / "census.csv") << "zip,name,age\n1,a,30\n1,b,30\n2,c,\n";
  Engine engine = testing::engine_with_files();
  const auto people =
      PopulationRows::read(engine, folder / "census.csv", {{.name = "age"}, {.name = "zip"}});
  ASSERT_TRUE(people) << people.error().message();
  ASSERT_EQ(people->rows.size(), 2U);
  const std::size_t two = people->rows[0] == 2 ? 0 : 1;
  EXPECT_EQ(people->rows[two], 2U);
  EXPECT_EQ(people->values[0][two], "30");
  EXPECT_EQ(people->values[1][two], "1");
  EXPECT_EQ(people->values[0][1 - two], "");
  const auto values = people->with_values_of(1, {{.text = "2", .rows = 7}, {.text = "3"}});
  ASSERT_EQ(values.size(), 3U);
  EXPECT_EQ(values[0].rows, 7U);
  EXPECT_EQ(values[2].text, "1");
  EXPECT_EQ(values[2].rows, 0U);
  const auto refused = PopulationRows::read(engine, folder / "census.csv", {{.name = "sex"}});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().what, HasSubstr("no column 'sex'"));
}

}  // namespace
}  // namespace tacit::anonymize

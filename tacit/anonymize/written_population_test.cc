#include "tacit/anonymize/written_population_internal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tacit/anonymize/publish.h"
#include "tacit/anonymize/testing/small_table.h"

namespace tacit::anonymize {
namespace {

using ::testing::HasSubstr;

// 40 people of two ages a decade and two towns; every fourth is in the table.
class WrittenPopulation : public ::testing::Test {
 protected:
  WrittenPopulation() {
    std::ofstream census(folder_ / "census.csv");
    std::ofstream table(folder_ / "table.csv");
    census << "town,age\n";
    table << "age,town\n";
    for (int i = 0; i < 40; ++i) {
      const int age = 20 + (i % 8);
      const char* const town = i % 5 < 2 ? "Bonn" : "Lyon";
      census << town << ',' << age << '\n';
      if (i % 4 == 0) table << age << ',' << town << '\n';
    }
  }

  Result<Policy> policy(const std::string& criteria) const {
    return Policy::parse(
        "[columns]\nage = {role = 'quasi-identifier', hierarchy = {intervals = [2, 4]}}\n"
        "town = 'quasi-identifier'\n[privacy]\n" +
            criteria + "\n[population]\nfile = 'census.csv'\n",
        folder_ / "policy.toml");
  }

  Scratch folder_;
  Engine engine_ = testing::engine_with_files();
};

TEST_F(WrittenPopulation, ClassesOfTheTableAreManyOfThePopulation) {
  const auto wanted = policy("k_map = 6");
  ASSERT_TRUE(wanted) << wanted.error().message();
  const auto data = Microdata::read(engine_, folder_ / "table.csv", *wanted);
  ASSERT_TRUE(data) << data.error().message();
  EXPECT_EQ(data->records.rows, 10U);
  const auto choice = choose(*data, *wanted);
  ASSERT_TRUE(choice) << choice.error().message();
  const auto done = publish(engine_, *data, *wanted, *choice, {}, {}, folder_ / "safe.csv");
  ASSERT_TRUE(done) << done.error().message();
  EXPECT_EQ(testing::lines_of(folder_ / "safe.csv").size(), 11U);
  EXPECT_TRUE(check_written_population(engine_, *data, *wanted, *choice, {}, folder_ / "safe.csv"));
  // A file of finer values does not pass.
  std::ofstream(folder_ / "safe.csv") << "age,town\n20,Bonn\n";
  const auto broken =
      check_written_population(engine_, *data, *wanted, *choice, {}, folder_ / "safe.csv");
  ASSERT_FALSE(broken);
  EXPECT_THAT(broken.error().what, HasSubstr("6-map"));
}

TEST_F(WrittenPopulation, NobodyIsKnownToBeInTheTable) {
  const auto wanted = policy("delta_presence = {least = 0, most = 0.3}\nsuppression = 0.5");
  const auto data = Microdata::read(engine_, folder_ / "table.csv", *wanted);
  const auto choice = choose(*data, *wanted);
  ASSERT_TRUE(choice) << choice.error().message();
  ASSERT_TRUE(publish(engine_, *data, *wanted, *choice, {}, {}, folder_ / "safe.csv"));
  const auto none = policy("delta_presence = {least = 0, most = 0.1}");
  EXPECT_FALSE(choose(*data, *none));
  EXPECT_TRUE(without_population(*wanted).criteria.empty());
}

}  // namespace
}  // namespace tacit::anonymize

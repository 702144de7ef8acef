#include "tacit/attacks/released_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tacit/anonymize/testing/small_table.h"

namespace tacit::attacks {
namespace {

using anonymize::testing::engine_with_files;
using anonymize::testing::patient_policy;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ReleasedTable, CountsSensitiveValuesOfEachClass) {
  const Scratch folder;
  std::ofstream(folder / "safe.csv") << "age,sex,ward,row,illness\n"
                                        "20-29,f,*,1,flu\n"
                                        "20-29,f,*,2,cold\n"
                                        "20-29,f,*,3,flu\n"
                                        "30-39,m,,4,\n";
  Engine engine = engine_with_files();
  const auto table = ReleasedTable::read(engine, folder / "safe.csv", patient_policy("k = 2\n"));
  ASSERT_TRUE(table) << table.error().message();
  EXPECT_EQ(table->classes.rows, 4U);
  ASSERT_EQ(table->classes.size(), 2U);
  ASSERT_EQ(table->sensitive.size(), 1U);
  EXPECT_EQ(table->sensitive[0].name, "illness");
  const std::size_t women = table->classes.counts[0] == 3 ? 0 : 1;
  EXPECT_EQ(table->shown(women), "age 20-29, sex f, ward *");
  EXPECT_EQ(table->shown(1 - women), "age 30-39, sex m, ward -");
  EXPECT_EQ(table->classes.sensitive[0].at(women).values.size(), 2U);
  EXPECT_EQ(table->classes.sensitive[0].at(1 - women).values.size(), 1U);
  std::map<std::string, std::uint64_t> totals;
  for (std::size_t i = 0; i < table->sensitive[0].values.size(); ++i) {
    totals[table->sensitive[0].values[i].text] = table->totals(0)[i];
  }
  EXPECT_THAT(totals, ElementsAre(std::pair("", 1), std::pair("cold", 1), std::pair("flu", 2)));
  EXPECT_EQ(table->find_sensitive("illness"), 0U);
  EXPECT_THAT(table->find_sensitive("age").error().message(), HasSubstr("there are: illness"));
  EXPECT_THAT(table->identifiers, ElementsAre());
}

TEST(ReleasedTable, OfATableIsWhatItsFileShows) {
  const Scratch folder;
  anonymize::testing::write_patients(folder / "patients.csv");
  const auto policy = patient_policy("k = 2\n");
  Engine engine = engine_with_files();
  const ReleasedTable made = ReleasedTable::of(
      anonymize::Microdata::read(engine, folder / "patients.csv", policy).value());
  Engine other = engine_with_files();
  const ReleasedTable read = ReleasedTable::read(other, folder / "patients.csv", policy).value();
  const auto content = [](const ReleasedTable& table) {
    std::map<std::string, std::pair<std::uint64_t, std::map<std::string, std::uint64_t>>> out;
    for (std::size_t i = 0; i < table.classes.size(); ++i) {
      auto& [rows, values] = out[table.shown(i)];
      rows = table.classes.counts[i];
      const auto histogram = table.classes.sensitive[0].at(i);
      for (std::size_t j = 0; j < histogram.values.size(); ++j) {
        values[table.sensitive[0].values[histogram.values[j]].text] = histogram.counts[j];
      }
    }
    return out;
  };
  EXPECT_EQ(content(made), content(read));
  EXPECT_EQ(made.classes.rows, 600U);
  EXPECT_EQ(made.sensitive[0].name, "illness");
}

TEST(ReleasedTable, LeavesOutWhatTheFileLacksAndNamesIdentifiersThatStayed) {
  const Scratch folder;
  auto policy = patient_policy("k = 2\n");
  policy.columns.front().pseudonym = false;
  std::ofstream(folder / "part.csv") << "id,sex\np1,f\np2,m\n";
  Engine engine = engine_with_files();
  const auto table = ReleasedTable::read(engine, folder / "part.csv", policy);
  ASSERT_TRUE(table) << table.error().message();
  EXPECT_EQ(table->quasi_identifiers.size(), 1U);
  EXPECT_TRUE(table->sensitive.empty());
  EXPECT_THAT(table->identifiers, ElementsAre("id"));

  std::ofstream(folder / "other.csv") << "a,b\n1,2\n";
  Engine another = engine_with_files();
  EXPECT_THAT(ReleasedTable::read(another, folder / "other.csv", policy).error().message(),
              HasSubstr("none of the quasi-identifiers"));
}

}  // namespace
}  // namespace tacit::attacks

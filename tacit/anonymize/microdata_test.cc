#include "tacit/anonymize/microdata.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tacit/anonymize/testing/small_table.h"

namespace tacit::anonymize {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Microdata, CountsWhatIsInTheFile) {
  const Scratch folder;
  testing::write_patients(folder / "patients.csv");
  Engine engine = testing::engine_with_files();
  const auto data =
      Microdata::read(engine, folder / "patients.csv", testing::patient_policy("k = 2\n"));
  ASSERT_TRUE(data) << data.error().message();
  EXPECT_EQ(data->records.rows, 600U);
  EXPECT_EQ(data->rows.rows(), 600U);
  EXPECT_THAT(data->plain, ElementsAre("id", "row", "illness"));
  ASSERT_EQ(data->sensitive_values.size(), 1U);
  EXPECT_THAT(data->sensitive_values[0], ElementsAre("cold", "flu", "gout"));
  EXPECT_EQ(data->values_at(0, 0), 40U);
  EXPECT_EQ(data->values_at(0, 2), 4U);
  // A missing ward is a value like the others.
  EXPECT_TRUE(data->hierarchies[2].find(""));
  // From the file itself, by another road.
  std::map<Fields, std::uint64_t> counts;
  const auto lines = testing::lines_of(folder / "patients.csv");
  for (std::size_t i = 1; i < lines.size(); ++i) {
    ++counts[Fields(lines[i].begin() + 1, lines[i].begin() + 4)];
  }
  ASSERT_EQ(data->records.size(), counts.size());
  for (std::size_t i = 0; i < data->records.size(); ++i) {
    Fields key;
    for (std::size_t c = 0; c < 3; ++c) {
      key.push_back(data->hierarchies[c].label(0, data->records.record(i)[c]));
    }
    EXPECT_EQ(data->records.counts[i], counts.at(key));
  }
}

TEST(Microdata, RefusesColumnsThatDoNotMatch) {
  const Scratch folder;
  Engine engine = testing::engine_with_files();
  const auto refusal = [&](const std::string& header) {
    std::ofstream(folder / "t.csv") << header << "\n1,2,3,4,5,6\n";
    return Microdata::read(engine, folder / "t.csv", testing::patient_policy("k = 2\n"))
        .error()
        .message();
  };
  EXPECT_THAT(
      refusal("id,age,sex,room,row,illness"),
      HasSubstr("policy.toml:5: '" + (folder / "t.csv").string() + "' has no column 'ward'"));
  EXPECT_THAT(refusal("id,age,sex,ward,row,illness,note"), HasSubstr("no role for the columns"));
  EXPECT_THAT(refusal("id,age,age,ward,row,illness"), HasSubstr("names 'age' twice"));
  EXPECT_THAT(refusal("id,,age,ward,row,illness"), HasSubstr("without a name"));
}

}  // namespace
}  // namespace tacit::anonymize

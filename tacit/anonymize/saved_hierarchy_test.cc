#include "tacit/anonymize/saved_hierarchy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tacit/anonymize/testing/small_table.h"

namespace tacit::anonymize {
namespace {

using ::testing::HasSubstr;

TEST(SavedHierarchy, ReadsBackAsItIs) {
  const std::vector<Fields> lines = {
      {"a;b", "x", "*"}, {"say \"hi\"", "x", "*"}, {"", "", "*"}, {"two\nlines", "y", "*"}};
  const auto hierarchy = Hierarchy::create(lines, "odd");
  ASSERT_TRUE(hierarchy);
  EXPECT_EQ(to_csv(*hierarchy),
            "\"a;b\";x;*\n\"say \"\"hi\"\"\";x;*\n\"\";\"\";*\n"
            "\"two\nlines\";y;*\n");
  EXPECT_EQ(parse_csv(to_csv(*hierarchy), ';', "odd.csv"), lines);
}

TEST(SavedHierarchy, IsThatOfThePolicy) {
  const Scratch folder;
  testing::write_patients(folder / "patients.csv");
  Engine engine = testing::engine_with_files();
  const Policy policy = testing::patient_policy("k = 2\n");
  const auto ages = hierarchy_of(engine, folder / "patients.csv", policy, "age");
  ASSERT_TRUE(ages) << ages.error().message();
  EXPECT_THAT(to_csv(*ages), HasSubstr("37;35-39;30-39;20-39;*\n"));
  const auto wards = hierarchy_of(engine, folder / "patients.csv", policy, "ward");
  EXPECT_THAT(to_csv(*wards), HasSubstr("\"\";*\n"));
  // What is saved is a hierarchy like any other.
  std::ofstream(folder / "age.csv") << to_csv(*ages);
  const auto again = build_hierarchy(rule::Taxonomy{.file = folder / "age.csv"}, {}, "age");
  ASSERT_TRUE(again);
  EXPECT_EQ(to_csv(*again), to_csv(*ages));
  EXPECT_FALSE(hierarchy_of(engine, folder / "patients.csv", policy, "illness"));
  EXPECT_FALSE(hierarchy_of(engine, folder / "patients.csv", policy, "height"));
}

}  // namespace
}  // namespace tacit::anonymize

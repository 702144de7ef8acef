#include "tacit/anonymize/inspection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tacit/anonymize/choice.h"
#include "tacit/anonymize/testing/small_table.h"

namespace tacit::anonymize {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Inspection, SeesRolesAndWhatTellsRowsApart) {
  const Scratch folder;
  testing::write_patients(folder / "patients.csv");
  Engine engine = testing::engine_with_files();
  const auto seen = inspect(engine, folder / "patients.csv");
  ASSERT_TRUE(seen) << seen.error().message() << engine.steward_detail();
  EXPECT_EQ(seen->rows, 600U);
  std::vector<Role> roles;
  for (const InspectedColumn& column : seen->columns) roles.push_back(column.finding.role);
  EXPECT_THAT(roles,
              ElementsAre(Role::kIdentifier, Role::kQuasiIdentifier, Role::kQuasiIdentifier,
                          Role::kQuasiIdentifier, Role::kIdentifier, Role::kQuasiIdentifier));
  EXPECT_EQ(seen->columns[0].unique, 600U);
  EXPECT_EQ(seen->columns[3].facts.distinct, 3U);
  // One to three of four quasi-identifiers.
  EXPECT_EQ(seen->sets.size(), 4U + 6 + 4);
  EXPECT_EQ(seen->sets.front().columns.size(), 3U);
}

TEST(Inspection, ProposesAPolicyThatCanBeUsed) {
  const Scratch folder;
  testing::write_patients(folder / "patients.csv");
  Engine engine = testing::engine_with_files();
  const auto seen = inspect(engine, folder / "patients.csv");
  ASSERT_TRUE(seen);
  const auto policy = Policy::parse(seen->policy(), "proposed.toml");
  ASSERT_TRUE(policy) << policy.error().message() << seen->policy();
  Engine another = testing::engine_with_files();
  const auto data = Microdata::read(another, folder / "patients.csv", *policy);
  ASSERT_TRUE(data) << data.error().message();
  EXPECT_TRUE(choose(*data, *policy));
}

}  // namespace
}  // namespace tacit::anonymize

#include "tacit/data/schema.h"

#include <gtest/gtest.h>

namespace tacit {
namespace {

TEST(Schema, FindsNamesWhateverTheirCase) {
  Schema schema;
  schema.tables.push_back({.name = "Visits"});
  schema.tables.front().columns.push_back({.name = "Hour"});
  ASSERT_NE(schema.find("visits"), nullptr);
  EXPECT_EQ(schema.find("VISITS"), &schema.tables.front());
  EXPECT_EQ(schema.find("visit"), nullptr);
  const TableSchema& visits = schema.tables.front();
  ASSERT_NE(visits.find("hour"), nullptr);
  EXPECT_EQ(visits.find("HOUR"), &visits.columns.front());
  EXPECT_EQ(visits.find("hours"), nullptr);
  EXPECT_EQ(visits.find(""), nullptr);
}

}  // namespace
}  // namespace tacit

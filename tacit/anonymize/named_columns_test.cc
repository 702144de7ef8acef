#include "tacit/anonymize/named_columns.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tacit/anonymize/testing/small_table.h"

namespace tacit::anonymize {
namespace {

Result<void> checked(const std::string& header, const std::string& columns) {
  const Scratch folder;
  const std::filesystem::path file = folder / "table.csv";
  std::ofstream(file) << header << "\n1,2\n";
  auto engine = Engine::duckdb_in_memory(Engine::Files::kAllowed);
  const auto source = SourceFile::open(*engine, file);
  const auto policy = Policy::parse("[columns]\n" + columns + "\n[privacy]\nk = 2\n", "p.toml");
  return check_columns(*source, *policy);
}

TEST(NamedColumns, AllHaveARole) {
  EXPECT_TRUE(checked("age,zip", "age = 'quasi-identifier'\nzip = 'other'"));
  const auto unnamed = checked("age,zip", "age = 'quasi-identifier'");
  ASSERT_FALSE(unnamed);
  EXPECT_NE(unnamed.error().what.find("no role for the columns"), std::string::npos);
  EXPECT_EQ(unnamed.error().where, "p.toml");
}

TEST(NamedColumns, AllAreThere) {
  const auto absent = checked("age,zip", "age = 'quasi-identifier'\nzip = 'other'\nsex = 'other'");
  ASSERT_FALSE(absent);
  EXPECT_NE(absent.error().what.find("has no column 'sex'"), std::string::npos);
  EXPECT_EQ(absent.error().where, "p.toml:4");
  EXPECT_EQ(absent.error().remedy, "its columns are: age, zip");
}

TEST(NamedColumns, DroppedIdentifiersAreNoneOfAPublishedTable) {
  const Scratch folder;
  std::ofstream(folder / "table.csv") << "age,mail\n30-39,x\n";
  auto engine = Engine::duckdb_in_memory(Engine::Files::kAllowed);
  const auto source = SourceFile::open(*engine, folder / "table.csv");
  const auto policy = Policy::parse(
      "[columns]\nname = 'identifier'\nmail = {role = 'identifier', pseudonym = true}\n"
      "age = {role = 'quasi-identifier', hierarchy = {intervals = [10]}}\n[privacy]\nk = 2\n",
      "p.toml");
  EXPECT_FALSE(check_columns(*source, *policy));
  const Policy published = for_published(*policy, *source);
  EXPECT_TRUE(check_columns(*source, published));
  ASSERT_EQ(published.columns.size(), 2U);
  EXPECT_TRUE(std::holds_alternative<rule::Suppress>(published.columns[1].hierarchy));
}

}  // namespace
}  // namespace tacit::anonymize

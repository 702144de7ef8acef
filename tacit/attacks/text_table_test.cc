#include "tacit/attacks/text_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace tacit::attacks {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class TextTableFile : public ::testing::Test {
 protected:
  TextTableFile()
      : file_(::testing::TempDir() + "text_table_" + std::to_string(::getpid()) + ".csv") {
    std::ofstream(file_) << "name,born,zip\nWeld,1945-07-31,02138\n\"Doe, J\",1950-01-01,\n"
                            "Roe,1945-07-31,02139\n";
  }
  ~TextTableFile() override { std::filesystem::remove(file_); }

  std::filesystem::path file_;
};

TEST_F(TextTableFile, KeepsTheOrderOfRowsAndOfTheColumnsAskedFor) {
  const auto table = TextTable::read(file_, {"zip", "name"});
  ASSERT_TRUE(table) << table.error().message();
  ASSERT_EQ(table->rows(), 3);
  EXPECT_EQ(table->text(0, 0), "02138");
  EXPECT_EQ(table->text(0, 1), "");
  EXPECT_EQ(table->text(1, 1), "Doe, J");
  EXPECT_EQ(table->text(1, 2), "Roe");
  EXPECT_THAT(*column_names(file_), ElementsAre("name", "born", "zip"));
}

TEST_F(TextTableFile, DescribesRowsByTheirOtherColumns) {
  EXPECT_THAT(*describe_rows(file_, {2, 1}, {"born"}),
              ElementsAre("name Roe, zip 02139", "name Doe, J"));
}

TEST_F(TextTableFile, SaysWhichColumnIsNotThere) {
  const auto table = TextTable::read(file_, {"sex"});
  ASSERT_FALSE(table);
  EXPECT_THAT(table.error().message(), HasSubstr("no column 'sex'"));
  EXPECT_THAT(table.error().message(), HasSubstr("name, born, zip"));
}

}  // namespace
}  // namespace tacit::attacks

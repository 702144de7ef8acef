#include "tacit/anonymize/source_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tacit/anonymize/testing/small_table.h"

namespace tacit::anonymize {
namespace {

using ::testing::HasSubstr;

TEST(SourceFile, KnowsFormatsByName) {
  EXPECT_EQ(row_format("a/b.csv"), RowFormat::kCsv);
  EXPECT_EQ(row_format("b.tsv.gz"), RowFormat::kCsv);
  EXPECT_EQ(row_format("b.parquet"), RowFormat::kParquet);
  EXPECT_EQ(row_format("b.ndjson"), RowFormat::kJson);
  EXPECT_EQ(row_format("b.xls"), std::nullopt);
}

TEST(SourceFile, ReadsTheHeaderOfCsv) {
  const Scratch folder;
  Engine engine = testing::engine_with_files();
  std::ofstream(folder / "t.csv") << "\xef\xbb\xbf"
                                     "a;\"b;c\"\r\n1;2\r\n";
  const auto source = SourceFile::open(engine, folder / "t.csv");
  ASSERT_TRUE(source) << source.error().message();
  ASSERT_EQ(source->columns().size(), 2U);
  EXPECT_EQ(source->columns()[1].name, "b;c");
  EXPECT_EQ(source->form().delimiter, ';');
  EXPECT_NE(source->find("a"), nullptr);
  EXPECT_EQ(source->find("A"), nullptr);
  const auto rows = engine.query("SELECT * FROM " + source->reader());
  ASSERT_TRUE(rows) << engine.steward_detail();
  EXPECT_EQ(rows->columns[1][0], Cell(std::string("2")));
}

TEST(SourceFile, SeesThatAFileHasChanged) {
  const Scratch folder;
  Engine engine = testing::engine_with_files();
  std::ofstream(folder / "t.csv") << "a\n1\n";
  const auto source = SourceFile::open(engine, folder / "t.csv");
  ASSERT_TRUE(source);
  EXPECT_TRUE(source->check_unchanged());
  std::ofstream(folder / "t.csv", std::ios::app) << "2\n";
  EXPECT_THAT(source->check_unchanged().error().message(), HasSubstr("has changed"));
}

TEST(SourceFile, RefusesWhatIsNoTable) {
  const Scratch folder;
  Engine engine = testing::engine_with_files();
  const auto refusal = [&](const std::string& name, const std::string& content) {
    std::ofstream(folder / name) << content;
    return SourceFile::open(engine, folder / name).error().message();
  };
  EXPECT_THAT(refusal("e.csv", ""), HasSubstr("it is empty"));
  EXPECT_THAT(refusal("e.xls", "a"), HasSubstr("does not say what it is"));
  EXPECT_THAT(refusal("e.parquet", "PAR1"), HasSubstr("cannot be read"));
  EXPECT_THAT(SourceFile::open(engine, folder / "absent.csv").error().message(),
              HasSubstr("no such file"));
}

}  // namespace
}  // namespace tacit::anonymize

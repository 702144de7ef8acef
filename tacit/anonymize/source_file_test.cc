#include "tacit/anonymize/source_file.h"

#include <fmt/format.h>
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

TEST(SourceFile, ReadsFilesOfAPatternAsOne) {
  const Scratch folder;
  Engine engine = testing::engine_with_files();
  std::ofstream(folder / "1.csv") << "a;b\n1;2\n";
  std::ofstream(folder / "2.csv") << "a;b\n3;4\n5;6\n";
  for (const char* const number : {"1", "2"}) {
    for (const char* const ending : {"parquet", "json", "csv.gz"}) {
      ASSERT_TRUE(engine.execute(fmt::format("COPY (FROM '{0}/{1}.csv') TO '{0}/{1}.{2}'",
                                             (folder / ".").string(), number, ending)));
    }
  }
  for (const char* const pattern : {"?.csv", "?.parquet", "?.json", "?.csv.gz"}) {
    const auto source = SourceFile::open(engine, folder / pattern);
    ASSERT_TRUE(source) << source.error().message();
    EXPECT_EQ(source->name(), folder / pattern);
    EXPECT_FALSE(source->is_one_file());
    ASSERT_EQ(source->columns().size(), 2U) << pattern;
    const auto sum =
        engine.query("SELECT CAST(sum(CAST(b AS INTEGER)) AS BIGINT) FROM " + source->reader());
    ASSERT_TRUE(sum) << engine.steward_detail();
    EXPECT_EQ(sum->columns[0][0], Cell(int128{12})) << pattern;
  }
  // Rows of two Parquet files have numbers of their own.
  const auto parquet = SourceFile::open(engine, folder / "*.parquet").value();
  EXPECT_EQ(engine.query("SELECT count(DISTINCT file_row_number) FROM " + parquet.reader())
                .value()
                .columns[0][0],
            Cell(int128{3}));
  EXPECT_TRUE(parquet.check_unchanged());
  std::ofstream(folder / "2.parquet", std::ios::app) << "x";
  EXPECT_THAT(parquet.check_unchanged().error().message(), HasSubstr("2.parquet: it has changed"));
}

TEST(SourceFile, RefusesFilesOfAPatternThatDiffer) {
  const Scratch folder;
  Engine engine = testing::engine_with_files();
  std::ofstream(folder / "1.csv") << "a,b\n1,2\n";
  std::ofstream(folder / "2.csv") << "b,a\n1,2\n";
  const auto refusal = [&](const char* pattern) {
    return SourceFile::open(engine, folder / pattern).error().message();
  };
  EXPECT_THAT(refusal("*.csv"), HasSubstr("2.csv: its column 1 is 'b' (VARCHAR), and that of '"));
  std::ofstream(folder / "2.csv") << "a\n1\n";
  EXPECT_THAT(refusal("*.csv"), HasSubstr("its column 2 is none, and that of"));
  std::ofstream(folder / "3.json") << "{\"a\": 1, \"b\": 2}\n";
  EXPECT_THAT(refusal("[13].*"), HasSubstr("3.json: it is not of the format of"));
  EXPECT_THAT(refusal("4*.csv"), HasSubstr("no file has a name of this pattern"));
  for (const char* const value : {"1", "'x'"}) {
    ASSERT_TRUE(engine.execute(fmt::format("COPY (SELECT {} AS a) TO '{}/{}.parquet'", value,
                                           (folder / ".").string(), value[0] == '1' ? 1 : 2)));
  }
  EXPECT_THAT(refusal("*.parquet"), HasSubstr("is 'a' (VARCHAR), and that of"));
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

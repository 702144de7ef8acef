#include "tacit/anonymize/coded_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "tacit/anonymize/testing/small_table.h"

namespace tacit::anonymize {
namespace {

using ::testing::HasSubstr;

// How often each pair of values is there, by their texts.
std::map<std::pair<std::string, std::string>, std::int64_t> pairs(Engine& engine,
                                                                  const std::filesystem::path& file,
                                                                  const std::string& a,
                                                                  const std::string& b) {
  const auto source = SourceFile::open(engine, file);
  if (!source) ADD_FAILURE() << source.error().message();
  const auto rows = CodedRows::read(engine, *source, {a, b}, {});
  if (!rows) ADD_FAILURE() << rows.error().message() << engine.steward_detail();
  const auto counted = rows->count(engine, *source);
  if (!counted) ADD_FAILURE() << counted.error().message();
  std::map<std::pair<std::string, std::string>, std::int64_t> out;
  for (std::size_t i = 0; i < counted->back().size(); ++i) {
    const auto text = [&](std::size_t column) {
      return rows->values()[column][static_cast<std::size_t>((*counted)[column][i])].text;
    };
    out[{text(0), text(1)}] += (*counted)[2][i];
  }
  return out;
}

TEST(CodedRows, CountsCombinations) {
  const Scratch folder;
  std::ofstream(folder / "t.csv") << "a,b\nx,1\nx,1\ny,1\n,1\n\"\",1\nx,\"2,5\"\n";
  Engine engine = testing::engine_with_files();
  // NULL and the empty text are one.
  EXPECT_EQ(pairs(engine, folder / "t.csv", "a", "b"),
            (std::map<std::pair<std::string, std::string>, std::int64_t>{
                {{"x", "1"}, 2}, {{"y", "1"}, 1}, {{"", "1"}, 2}, {{"x", "2,5"}, 1}}));
}

TEST(CodedRows, ReadsParquetAndJsonAlike) {
  const Scratch folder;
  Engine engine = testing::engine_with_files();
  ASSERT_TRUE(
      engine.execute("COPY (SELECT i % 3 AS a, CASE WHEN i < 5 THEN DATE '2020-01-01' END "
                     "AS b FROM range(10) t(i)) TO '" +
                     (folder / "t.parquet").string() + "'"));
  ASSERT_TRUE(engine.execute("COPY (FROM '" + (folder / "t.parquet").string() + "') TO '" +
                             (folder / "t.json").string() + "'"));
  Engine first = testing::engine_with_files();
  Engine second = testing::engine_with_files();
  const auto counts = pairs(first, folder / "t.parquet", "a", "b");
  EXPECT_EQ(counts, pairs(second, folder / "t.json", "a", "b"));
  EXPECT_EQ(counts.at({"0", "2020-01-01"}), 2);
  EXPECT_EQ(counts.at({"0", ""}), 2);
}

TEST(CodedRows, SaysWhatCannotBeRead) {
  const Scratch folder;
  Engine engine = testing::engine_with_files();
  std::ofstream(folder / "t.csv") << "a,b\n1,2\n3\n";
  const auto source = SourceFile::open(engine, folder / "t.csv");
  ASSERT_TRUE(source);
  const auto rows = CodedRows::read(engine, *source, {"a"}, {});
  ASSERT_FALSE(rows);
  EXPECT_THAT(rows.error().message(), HasSubstr("Line: 3"));
}

}  // namespace
}  // namespace tacit::anonymize

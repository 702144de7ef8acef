#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "tacit/data/dataset.h"
#include "tacit/ledger/testing/scratch.h"

namespace tacit {
namespace {

using ::testing::HasSubstr;

void write(const std::filesystem::path& file, std::string_view text) {
  std::ofstream(file, std::ios::binary) << text;
}

// Writes other bytes, as many, wherever the file has these.
void replace_bytes(const std::filesystem::path& file, std::string_view from, std::string_view to) {
  std::string bytes;
  {
    std::ifstream stream(file, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(stream), {});
  }
  std::size_t at = bytes.find(from);
  EXPECT_NE(at, std::string::npos);
  for (; at != std::string::npos; at = bytes.find(from, at)) bytes.replace(at, to.size(), to);
  write(file, bytes);
}

// What a steward is told of one table `t` of the dataset.
class CheckRows : public ::testing::Test {
 protected:
  Result<void> checked(std::string_view source, std::string_view columns,
                       std::string_view engine = "duckdb") {
    const auto workspace =
        Workspace::parse(fmt::format("[datasets.d]\nneighbours = \"add_remove\"\nepsilon = 1\n"
                                     "engine = \"{}\"\n[datasets.d.tables.t]\nsource = \"{}\"\n"
                                     "unit = \"row\"\ncolumns = {{{}}}\n",
                                     engine, source, columns),
                         scratch_ / "tacit.toml");
    if (!workspace) return std::unexpected(workspace.error());
    return check_rows(*workspace, workspace->datasets.front());
  }

  Result<void> csv(std::string_view text) {
    write(scratch_ / "t.csv", text);
    return checked("t.csv", "id = \"integer\", name = \"text\"");
  }

  Result<void> json(std::string_view text) {
    write(scratch_ / "t.jsonl", text);
    return checked("t.jsonl", "id = \"integer\"");
  }

  void run(const std::string& sql) {
    auto engine = Engine::duckdb_in_memory(Engine::Files::kAllowed);
    ASSERT_TRUE(engine);
    ASSERT_TRUE(engine->execute(sql)) << engine->steward_detail();
  }

  Scratch scratch_;
};

TEST_F(CheckRows, TakesCsvWhereEveryRecordIsALine) {
  EXPECT_TRUE(csv("id,name\n"));
  const auto good = csv("id,name\r\n1,\"a, b\"\r\n2,\"say \"\"hi\"\"\"\r\n\r\n3\r\n4,5,6\r\n");
  EXPECT_TRUE(good) << good.error().message();
}

TEST_F(CheckRows, RefusesCsvWithRecordsOverSeveralLines) {
  for (const std::string_view text :
       {"id,name\n1,\"dear doctor\n7,bob\nend\"\n", "id,name\n1,\"a\r2,b\"\n",
        "id,name\n1,\"never closed", "id,name\n1,5\" pipe\n"}) {
    const auto refused = csv(text);
    ASSERT_FALSE(refused) << text;
    EXPECT_EQ(refused.error().exit_status(), 2);
    EXPECT_THAT(refused.error().message(), HasSubstr("does not close"));
    EXPECT_THAT(refused.error().message(), HasSubstr("t.csv"));
    EXPECT_THAT(refused.error().remedy, HasSubstr("Parquet"));
  }
}

// Queries leave such lines out; the mark in them must not be overlooked for that.
TEST_F(CheckRows, RefusesCsvWithLinesThatCannotBeRead) {
  const std::string longest(3'000'000, 'x');
  for (const std::string& begin : {std::string("\xff"), longest, std::string("\x1c\x1d\x1e\x1f"),
                                   std::string("\x1c\x1d\x1e\x1f\x1c\x1d\x1e\x1f")}) {
    EXPECT_FALSE(csv("id,name\n1," + begin + "\"\n7,bob\n" + begin + "\"\n")) << begin.substr(0, 4);
  }
}

TEST_F(CheckRows, FindsTheFileOfAGlob) {
  write(scratch_ / "t1.csv", "id,name\n1,a\n");
  write(scratch_ / "t2.csv", "id,name\n2,\"b\n\"\n");
  const auto refused = checked("t*.csv", "id = \"integer\"");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("t2.csv"));
}

TEST_F(CheckRows, RefusesJsonThatIsNotOneObjectALine) {
  EXPECT_TRUE(json("{\"id\": 1}\n\n {\"id\": \"\\\"\"}\r\n"));
  for (const std::string_view text :
       {"[{\"id\": 1}]\n", "{\"id\": 1}\n{\n\"id\": 2}\n", "{\"id\": [\n{\"id\": 2}\n]}\n"}) {
    const auto refused = json(text);
    ASSERT_FALSE(refused) << text;
    EXPECT_THAT(refused.error().message(), HasSubstr("JSON object"));
  }
}

TEST_F(CheckRows, RefusesTextInParquetThatIsNotUtf8) {
  const auto file = scratch_ / "t.parquet";
  run(fmt::format(
      "COPY (SELECT 1 AS id, 'north__gate' AS place) TO '{}' (COMPRESSION uncompressed)",
      file.string()));
  const auto check = [&] { return checked("t.parquet", "id = \"integer\", place = \"text\""); };
  EXPECT_TRUE(check());
  replace_bytes(file, "__", "\xff\xff");
  const auto refused = check();
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("'place' holds text that is not UTF-8"));
}

std::string bytes_of(std::int64_t value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

// Milliseconds become microseconds, and there may be no room for them.
TEST_F(CheckRows, RefusesTimesInParquetThatAreOutOfRange) {
  const auto file = scratch_ / "t.parquet";
  run(fmt::format(
      "COPY (SELECT CAST(TIMESTAMP '2020-01-02 03:04:05.678' AS TIMESTAMP_MS) AS at) TO '{}' "
      "(COMPRESSION uncompressed)",
      file.string()));
  EXPECT_TRUE(checked("t.parquet", "at = \"timestamp\""));
  EXPECT_TRUE(checked("t.parquet", "at = \"date\""));
  replace_bytes(file, bytes_of(1'577'934'245'678), bytes_of(9'223'372'036'854'775'000));
  for (const std::string_view type : {"timestamp", "date"}) {
    const auto refused = checked("t.parquet", fmt::format("at = \"{}\"", type));
    ASSERT_FALSE(refused) << type;
    EXPECT_THAT(refused.error().message(), HasSubstr("'at' holds a value"));
  }
}

TEST_F(CheckRows, RefusesTimesInADatabaseThatCannotBeRead) {
  run(fmt::format("ATTACH '{}' AS d; CREATE TABLE d.t AS SELECT 'infinity'::TIMESTAMP_MS AS at",
                  (scratch_ / "d.duckdb").string()));
  const auto refused = checked("t", "at = \"date\"", "d.duckdb");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("'at' holds a value"));
}

}  // namespace
}  // namespace tacit

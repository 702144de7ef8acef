#include "tacit/anonymize/served_table.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <memory>

#include "tacit/anonymize/inspection.h"
#include "tacit/anonymize/publish.h"
#include "tacit/anonymize/testing/small_table.h"

namespace tacit::anonymize {
namespace {

using ::testing::HasSubstr;
using Null = ServedTable::Text::Null;

// What is asked of a table is the same for every database; servers are tried where there is one.
class DatabaseTest : public ::testing::TestWithParam<const char*> {
 protected:
  static Result<Engine> database() {
    const std::string name = GetParam();
    if (name == "duckdb") return Engine::duckdb_in_memory(Engine::Files::kRefused);
    const bool is_postgres = name == "postgres";
    // NOLINTNEXTLINE(concurrency-mt-unsafe): nobody changes the environment.
    const char* const uri = std::getenv(is_postgres ? "TACIT_TEST_POSTGRES" : "TACIT_TEST_SPARK");
    if (uri == nullptr) return world_failed("no server");
    return is_postgres ? Engine::postgres(uri) : Engine::spark(uri);
  }
};

TEST_P(DatabaseTest, GivesTextsAndCounts) {
  auto engine = database();
  if (!engine && std::string(GetParam()) != "duckdb") {
    GTEST_SKIP() << "run under scripts/with-" << GetParam();
  }
  ASSERT_TRUE(engine) << engine.error().message();
  const TableSchema table{
      .name = "t",
      .source =
          "(SELECT * FROM (VALUES "
          "(7, 'x', DATE '2020-02-29', true, 1.50, TIMESTAMP '2020-01-01 10:00:00'), "
          "(7, 'x', DATE '2020-02-29', true, 2.50, NULL), "
          "(-1, NULL, NULL, false, 0.25, NULL), "
          "(-1, '', NULL, false, 0.25, NULL)) AS v(n, b, c, d, e, f))",
      .columns = {{.name = "n", .type = kIntegerType},
                  {.name = "b", .type = kTextType},
                  {.name = "c", .type = kDateType},
                  {.name = "d", .type = kBooleanType},
                  {.name = "e", .type = {TypeKind::kDecimal, 10, 2}},
                  {.name = "f", .type = kTimestampType}}};
  ServedTable served(*std::move(engine), table, "clinic.t");
  Engine embedded = testing::engine_with_files();
  const std::vector<ServedTable::Text> counted = {
      {.column = "n", .as = "q0", .null = Null::kEmptyText},
      {.column = "b", .as = "q1", .null = Null::kEmptyText},
      {.column = "c", .as = "q2", .null = Null::kEmptyText}};
  const auto did = served.count(embedded, "counts", counted);
  ASSERT_TRUE(did) << did.error().message();
  const auto combinations = embedded.query("SELECT q0, q1, q2, n FROM counts ORDER BY q0").value();
  using Cells = std::vector<Cell>;
  const auto text = [](const char* value) { return Cell(std::string(value)); };
  EXPECT_EQ(combinations.columns[0], (Cells{text("-1"), text("7")}));
  EXPECT_EQ(combinations.columns[1], (Cells{text(""), text("x")}));
  EXPECT_EQ(combinations.columns[2], (Cells{text(""), text("2020-02-29")}));
  EXPECT_EQ(combinations.columns[3], (Cells{Cell(int128{2}), Cell(int128{2})}));

  const std::vector<ServedTable::Text> fetched = {
      {.column = "d", .as = "x0"}, {.column = "e", .as = "x1"}, {.column = "f", .as = "x2"}};
  ASSERT_TRUE(served.copy(embedded, "rows_here", fetched));
  const auto rows = embedded.query("SELECT * FROM rows_here ORDER BY x1, x0").value();
  ASSERT_EQ(rows.rows(), 4U);
  EXPECT_EQ(rows.columns[0][3], text("true"));
  EXPECT_EQ(rows.columns[1], (Cells{text("0.25"), text("0.25"), text("1.50"), text("2.50")}));
  EXPECT_EQ(rows.columns[2][2], text("2020-01-01 10:00:00"));
  EXPECT_TRUE(is_null(rows.columns[2][3]));
  // Again, in place of what is there.
  EXPECT_TRUE(served.copy(embedded, "rows_here", fetched));
}

INSTANTIATE_TEST_SUITE_P(Engines, DatabaseTest, ::testing::Values("duckdb", "postgres", "spark"),
                         [](const auto& each) { return std::string(each.param); });

// The patients as a table of a database beside the same in a file.
class ServedPatients : public ::testing::Test {
 protected:
  void SetUp() override { testing::write_patients(folder_ / "patients.csv"); }

  [[nodiscard]] SourceFile patients() const {
    Engine database = testing::engine_with_files();
    EXPECT_TRUE(database.execute(fmt::format("CREATE TABLE patients AS SELECT * FROM '{}'",
                                             (folder_ / "patients.csv").string())));
    const TableSchema schema{.name = "patients",
                             .source = "patients",
                             .columns = {{.name = "id", .type = kTextType},
                                         {.name = "age", .type = kIntegerType},
                                         {.name = "sex", .type = kTextType},
                                         {.name = "ward", .type = kTextType},
                                         {.name = "row", .type = kIntegerType},
                                         {.name = "illness", .type = kTextType}}};
    return SourceFile::of(
        std::make_shared<ServedTable>(std::move(database), schema, "clinic.patients"));
  }

  Result<void> published(const SourceFile& source, const std::string& privacy,
                         const std::string& output) {
    const Policy policy = testing::patient_policy(privacy);
    Engine engine = testing::engine_with_files();
    TACIT_ASSIGN_OR_RETURN(const Microdata data, Microdata::read(engine, source, policy));
    if (between_) between_(source);
    TACIT_ASSIGN_OR_RETURN(const Choice choice, choose(data, policy));
    return publish(engine, data, policy, choice, key_, std::nullopt, folder_ / output);
  }

  [[nodiscard]] std::vector<Fields> sorted_lines(const std::string& file) const {
    auto out = testing::lines_of(folder_ / file);
    std::ranges::sort(out);
    return out;
  }

  Scratch folder_;
  SecureStream stream_ = SecureStream::create().value();
  PseudonymKey key_ = PseudonymKey::create(stream_);
  std::function<void(const SourceFile&)> between_;
};

TEST_F(ServedPatients, ArePublishedAsThoseOfAFile) {
  Engine engine = testing::engine_with_files();
  const auto file = SourceFile::open(engine, folder_ / "patients.csv").value();
  for (const std::string method : {"global", "mondrian", "local"}) {
    const std::string privacy = "k = 10\nsuppression = 0.1\n[method]\nkind = \"" + method + "\"\n";
    const auto done = published(patients(), privacy, "served.csv");
    ASSERT_TRUE(done) << done.error().message();
    ASSERT_TRUE(published(file, privacy, "file.csv"));
    EXPECT_EQ(sorted_lines("served.csv"), sorted_lines("file.csv")) << method;
  }
}

TEST_F(ServedPatients, AreChangedAndSampledHere) {
  const auto done =
      published(patients(), "k = 5\n[method]\nkind = \"mondrian\"\nsample = 0.5\n", "served.csv");
  ASSERT_TRUE(done) << done.error().message();
  EXPECT_GT(sorted_lines("served.csv").size(), 200U);
  EXPECT_LT(sorted_lines("served.csv").size(), 400U);
}

// One patient changes his ward after combinations were counted: the sum is the same.
TEST_F(ServedPatients, AreRefusedWhereTheyChangeMeanwhile) {
  between_ = [](const SourceFile& source) {
    EXPECT_TRUE(source.served()->engine().execute(
        "UPDATE patients SET ward = 'north' WHERE \"row\" = (SELECT min(\"row\") FROM patients "
        "WHERE ward = 'south')"));
  };
  const auto done = published(patients(), "k = 10\nsuppression = 0.1\n", "served.csv");
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, ErrorKind::kWorld);
  EXPECT_THAT(done.error().message(), HasSubstr("clinic.patients: it has changed while"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "served.csv"));
}

TEST_F(ServedPatients, SayWhyTheyCannotBeRead) {
  between_ = {};
  const SourceFile source = patients();
  ASSERT_TRUE(source.served()->engine().execute("DROP TABLE patients"));
  const auto done = published(source, "k = 10\n", "served.csv");
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message(), HasSubstr("patients does not exist"));
}

TEST_F(ServedPatients, AreInspected) {
  Engine engine = testing::engine_with_files();
  const auto seen = inspect(engine, patients());
  ASSERT_TRUE(seen) << seen.error().message();
  EXPECT_EQ(seen->rows, 600U);
  EXPECT_EQ(seen->columns.size(), 6U);
  EXPECT_EQ(seen->columns[1].facts.distinct, 40U);
}

}  // namespace
}  // namespace tacit::anonymize

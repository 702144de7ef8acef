#include "tacit/data/dataset.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tacit/data/adbc_driver_internal.h"
#include "tacit/ledger/testing/scratch.h"

namespace tacit {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

void write(const std::filesystem::path& file, std::string_view text) {
  std::ofstream(file, std::ios::binary) << text;
}

// A workspace with one dataset, in a folder of its own.
class DatasetTest : public ::testing::Test {
 protected:
  Workspace workspace(std::string_view lines) {
    const auto parsed = Workspace::parse(
        "[datasets.d]\nneighbours = \"add_remove\"\nepsilon = 1\n" + std::string(lines),
        scratch_ / "tacit.toml");
    if (!parsed) ADD_FAILURE() << parsed.error().message();
    return *parsed;
  }

  Result<Schema> schema(std::string_view lines) {
    const Workspace made = workspace(lines);
    return schema_of(made, made.datasets.front());
  }

  // All rows of the only table, in order.
  Table rows(std::string_view lines, std::string_view order_by = "1") {
    const Workspace made = workspace(lines);
    const auto schema = schema_of(made, made.datasets.front());
    EXPECT_TRUE(schema) << schema.error().message();
    auto engine = open_engine(made, made.datasets.front());
    EXPECT_TRUE(engine) << engine.error().message();
    auto table = engine->query(
        fmt::format("SELECT * FROM {} AS t ORDER BY {}", schema->tables.front().source, order_by));
    EXPECT_TRUE(table) << engine->steward_detail();
    return table ? *table : Table{};
  }

  Scratch scratch_;
};

std::vector<Cell> integers(std::initializer_list<int> values) {
  std::vector<Cell> cells;
  for (const int value : values) cells.emplace_back(int128{value});
  return cells;
}

constexpr std::string_view kPeople = R"toml(
[datasets.d.tables.people]
source = "people.csv"
unit = "id"
[datasets.d.tables.people.columns]
day = "date"
id = "integer"
price = {type = "decimal(9,2)", min = 0, max = 100}
)toml";

// Bad lines and bad values never fail a query: the line is left out, the value is NULL.
TEST_F(DatasetTest, ReadsACsvFileWhateverItsRowsHold) {
  write(scratch_ / "people.csv",
        "id,name,price,day\n"
        "1,ann,1.50,2020-01-01\n"
        "2,bob,no number,2020-02-30\n"
        "3,c\xff\xfe,3.5,2020-01-03\n"
        "4,dan,4.5,\n"
        "5,eve,5.5,2020-01-05,too,many\n"
        "5,too few\n"
        "6,\"fay, g\",12345678901234567890,2020-01-06\n"
        "no id,gus,7.125,2020-01-07\n" +
            fmt::format("8,{},8,2020-01-08\n", std::string(3'000'000, 'x')));
  const Table table = rows(kPeople, "id");
  EXPECT_EQ(table.fields,
            (std::vector<Field>{
                {"day", kDateType}, {"id", kIntegerType}, {"price", {TypeKind::kDecimal, 9, 2}}}));
  std::vector<Cell> ids = integers({1, 2, 4, 6});
  ids.emplace_back();
  EXPECT_EQ(table.columns[1], ids);
  EXPECT_THAT(table.columns[2],
              ElementsAre(Cell(int128{150}), Cell(), Cell(int128{450}), Cell(), Cell(int128{713})));
}

// Text that is no UTF-8 is out where it is read.
TEST_F(DatasetTest, LeavesOutLinesThatAreNoText) {
  write(scratch_ / "people.csv", "id,name,price,day\n1,ann,,\n2,c\xff\xfe,,\n3,dan,,\n");
  const Table table = rows(std::string(kPeople) + "name = \"text\"\n", "id");
  EXPECT_EQ(table.columns[1], integers({1, 3}));
}

TEST_F(DatasetTest, ReadsQuotedFieldsOfACsvFile) {
  write(scratch_ / "people.csv",
        "id,name,price,day\r\n1,\"a, b\",1,\r\n2,\"say \"\"hi\"\"\",2,\r\n3,\"\",3,\r\n"
        "4,5\" pipe,4,\r\n5,\"open,5,\r\n\"6\",x,\"6\",\"2020-01-06\"\r\n");
  const Table table = rows(std::string(kPeople) + "name = \"text\"\n", "id");
  EXPECT_EQ(table.columns[1], integers({1, 2, 3, 6}));
  EXPECT_EQ(table.columns[2], integers({100, 200, 300, 600}));
  EXPECT_THAT(table.columns[3], ElementsAre(Cell("a, b"), Cell("say \"hi\""), Cell(), Cell("x")));
}

// A record over several lines is none of them: no line becomes a unit that nobody is.
TEST_F(DatasetTest, LeavesOutLinesThatAreNoRowOfTheTable) {
  std::string text = "id,name,price,day\n1,ann,1,\n2,\"dear doctor\n";
  for (int i = 10; i < 30; ++i) text += fmt::format("{}\n", i);
  write(scratch_ / "people.csv", text + "end\",2,\n3,bob,3,\n");
  EXPECT_EQ(rows(kPeople, "id").columns[1], integers({1, 3}));
}

TEST_F(DatasetTest, NoSignInAFieldMovesTheOthers) {
  write(scratch_ / "people.csv",
        "id,name,price,day\n1,\"a\x1f\x1f"
        "9\",1,\n2,\"b,\x1f"
        "8\",2,\n3,c\x1f"
        "c,3,\n");
  const Table table = rows(std::string(kPeople) + "name = \"text\"\n", "id");
  EXPECT_EQ(table.columns[1], integers({1, 2, 3}));
  EXPECT_EQ(table.columns[2], integers({100, 200, 300}));
  EXPECT_THAT(table.columns[3], ElementsAre(Cell("a9"), Cell("b,8"),
                                            Cell("c\x1f"
                                                 "c")));
}

TEST_F(DatasetTest, WithoutAHeaderColumnsStandAsDeclared) {
  write(scratch_ / "people.csv", "2020-01-01,1,1.5\n2020-01-02,2\n2020-01-03,3,3.5,more\n");
  std::string lines(kPeople);
  lines.insert(lines.find("unit"), "header = false\n");
  EXPECT_EQ(rows(lines, "id").columns[1], integers({1, 3}));
}

// Whatever one person's line holds: nobody else's row is gone, new or different.
class HostileLine : public DatasetTest {
 protected:
  // The ids that are read of `count` plain lines with `hostile` at `place` among them.
  std::vector<Cell> ids_beside(const std::string& hostile, int place, const std::string& file) {
    constexpr int kLines = 9;
    const bool is_json = file.ends_with("jsonl");
    std::string text = is_json ? "" : "id,name\n";
    for (int i = 0; i < kLines; ++i) {
      if (i == place) text += hostile + "\n";
      text += is_json ? fmt::format("{{\"id\": {}, \"name\": \"ann\"}}\n", i)
                      : fmt::format("{},ann\n", i);
    }
    write(scratch_ / file, text);
    const Table table = rows(fmt::format(R"toml(
[datasets.d.tables.people]
source = "{}"
unit = "id"
columns = {{id = "integer", name = "text"}}
)toml",
                                         file),
                             "id");
    std::vector<Cell> ids;
    for (std::size_t r = 0; r < table.rows(); ++r) {
      if (table.columns[1][r] == Cell("ann")) ids.push_back(table.columns[0][r]);
    }
    return ids;
  }

  void expect_alone(const std::vector<std::string>& hostile, const std::string& file) {
    for (const std::string& line : hostile) {
      for (const int place : {0, 4, 8}) {
        EXPECT_EQ(ids_beside(line, place, file), integers({0, 1, 2, 3, 4, 5, 6, 7, 8}))
            << ::testing::PrintToString(line.substr(0, 40)) << " at " << place;
      }
    }
  }

  const std::vector<std::string> anywhere_{"",
                                           "\r",
                                           "\r\r",
                                           "\"",
                                           "\"\"",
                                           "\\",
                                           "\\\"",
                                           "#",
                                           "\xff\xfe",
                                           "\xc3",
                                           "\xef\xbb\xbf",
                                           std::string(1, '\0'),
                                           std::string("7\0,x", 4),
                                           "\x1c\x1d\x1e\x1f",
                                           std::string(3'000'000, 'x'),
                                           std::string(3'000'000, '"')};
};

TEST_F(HostileLine, OfCsvChangesNoOther) {
  expect_alone(anywhere_, "people.csv");
  expect_alone({"7,\"bob", "\"7,bob", "7,\"bob\"\"", "7,bob\"", "\"7\",\"b\"ob\",\"", ",,,,,,,,",
                "7", "7,\"bob\r"},
               "people.csv");
}

TEST_F(HostileLine, OfJsonChangesNoOther) {
  expect_alone(anywhere_, "people.jsonl");
  expect_alone({"{", "[", "}", "]", "{\"id\": 7, \"name\": \"bob", "{\"id\": 7, \"name\": [1,",
                "{\"id\": 7, \"name\": {\"a\": [", "{}{}", "[{\"id\": 7},", "null", "7",
                "{\"id\": 7} {\"id\": 7}", "{\"name\": \"\\ud800\"}", "{\"id\": 1e999}",
                std::string(100'000, '[')},
               "people.jsonl");
}

TEST_F(DatasetTest, FindsColumnsOfACsvFileByItsHeader) {
  write(scratch_ / "people.csv", "\xef\xbb\xbf\"Price\";other;ID;day\r\n2.5;x;7;2020-01-01\r\n");
  std::string lines(kPeople);
  lines.insert(lines.find("unit"), "delimiter = \";\"\n");
  const Table table = rows(lines);
  EXPECT_EQ(table.columns[1], integers({7}));
  EXPECT_EQ(table.columns[2], integers({250}));
}

TEST_F(DatasetTest, FindsColumnsOfACompressedFileByItsHeader) {
  auto writer = Engine::duckdb_in_memory(Engine::Files::kAllowed);
  ASSERT_TRUE(writer);
  for (const std::string ending : {"gz", "zst"}) {
    const std::string file = "people.csv." + ending;
    ASSERT_TRUE(writer->execute(
        fmt::format("COPY (SELECT 2.5 AS price, 'x' AS other, 7 AS id, DATE '2020-01-01' AS day "
                    "FROM range(5000)) TO '{}' (HEADER)",
                    (scratch_ / file).string())))
        << writer->steward_detail();
    std::string lines(kPeople);
    lines.insert(lines.find("people.csv") + 10, "." + ending);
    const Table table = rows(lines);
    ASSERT_EQ(table.rows(), 5000U);
    EXPECT_EQ(table.columns[1].front(), Cell(int128{7}));
    EXPECT_EQ(table.columns[2].front(), Cell(int128{250}));
    lines.replace(lines.find("price ="), 5, "cost");
    EXPECT_THAT(schema(lines).error().what, HasSubstr("'cost'"));
  }
}

TEST_F(DatasetTest, FilesOfOneTableHaveOneHeader) {
  std::string lines(kPeople);
  lines.replace(lines.find("people.csv"), 10, "p*.csv");
  write(scratch_ / "p1.csv", "id,price,day\n1,1,2020-01-01\n");
  write(scratch_ / "p2.csv", "ID,\"price\",day\r\n2,2,2020-01-01\r\n");
  EXPECT_EQ(rows(lines, "id").columns[1], integers({1, 2}));
  for (const std::string header : {"price,id,day", "id,price", "id,price,day,more", "id,\"price"}) {
    write(scratch_ / "p3.csv", header + "\n3,3,2020-01-01\n");
    const auto made = schema(lines);
    ASSERT_FALSE(made) << header;
    EXPECT_THAT(made.error().message(), HasSubstr("p3.csv"));
  }
}

// The engine descends where "**" stands, and takes files whose names begin with a dot.
TEST_F(DatasetTest, ReadsTheHeaderOfEveryFileThatTheEngineReads) {
  std::string lines(kPeople);
  lines.replace(lines.find("people.csv"), 10, "**/*.csv");
  std::filesystem::create_directories(scratch_ / "a" / "b");
  write(scratch_ / "a" / "p1.csv", "id,price,day\n1,1,2020-01-01\n");
  const auto deep = scratch_ / "a" / "b" / ".p2.csv";
  write(deep, "id,price,day\n2,2,2020-01-01\n");
  const std::size_t read = rows(lines, "id").rows();
  write(deep, "price,id,day\n3,2,2020-01-01\n");
  EXPECT_EQ(read == 2, !schema(lines).has_value());
  write(scratch_ / "a" / "b" / "p3.csv", "price,id,day\n3,2,2020-01-01\n");
  EXPECT_FALSE(schema(lines));
}

TEST_F(DatasetTest, RefusesAHeaderWithoutADeclaredColumn) {
  write(scratch_ / "people.csv", "id,name,day\n");
  const auto made = schema(kPeople);
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().what, HasSubstr("'price'"));
  // What stands in the line may be somebody's.
  EXPECT_THAT(made.error().message(), Not(HasSubstr("day")));
}

TEST_F(DatasetTest, ReadsLinesOfJsonWhateverTheyHold) {
  write(scratch_ / "people.jsonl",
        "{\"id\": 1, \"name\": \"ann\"}\n{\"id\": \"zz\", \"name\": {\"a\": 1}}\nno json\n"
        "{\"id\": 3, \"name\": \"c\xff\"}\n{\"id\": 1e400}\n{\"id\": 4}\n");
  const Table table = rows(R"toml(
[datasets.d.tables.people]
source = "people.jsonl"
unit = "id"
columns = {id = "integer", name = "text"}
)toml");
  EXPECT_THAT(table.columns[0],
              ::testing::IsSupersetOf({Cell(int128{1}), Cell(int128{4}), Cell()}));
}

// An object written over several lines is none of them.
TEST_F(DatasetTest, LeavesOutLinesThatAreNoObjectOfJson) {
  write(scratch_ / "people.jsonl",
        "{\"id\": 1}\n {\n\"id\": 2,\n\"name\": [\n7,\n8\n]\n}\n\t{\"name\": \"bob\"}\n");
  const Table table = rows(R"toml(
[datasets.d.tables.people]
source = "people.jsonl"
unit = "row"
columns = {id = "integer"}
)toml");
  EXPECT_THAT(table.columns[0], ElementsAre(Cell(int128{1}), Cell()));
}

TEST_F(DatasetTest, ReadsParquetByGlobInDeclaredTypes) {
  auto writer = Engine::duckdb_in_memory(Engine::Files::kAllowed);
  ASSERT_TRUE(writer);
  for (const int part : {1, 2}) {
    const auto file = scratch_ / fmt::format("part{}.parquet", part);
    ASSERT_TRUE(writer->execute(
        fmt::format("COPY (SELECT {0}::SMALLINT AS id, 'x' AS name, {0}.25::DOUBLE AS price) TO "
                    "'{1}'",
                    part, file.string())));
  }
  const Table table = rows(R"toml(
[datasets.d.tables.people]
source = "part*.parquet"
unit = "id"
columns = {id = "integer", price = "decimal(9,2)"}
)toml");
  EXPECT_EQ(table.fields[0].type, kIntegerType);
  EXPECT_EQ(table.columns[0], integers({1, 2}));
  EXPECT_EQ(table.columns[1], integers({125, 225}));
}

TEST_F(DatasetTest, ADateHasARangeAndAColumnNullsUnlessItSaysNot) {
  write(scratch_ / "people.csv", "id,day,at,ok\n");
  const auto made = schema(R"toml(
[datasets.d.tables.people]
source = "people.csv"
unit = "id"
[datasets.d.tables.people.columns]
id = {type = "integer", nulls = false}
day = {type = "date", min = 1970-01-02, max = "1970-02-01"}
at = {type = "timestamp", min = 1970-01-01T00:00:01, max = "1970-01-02"}
ok = "boolean"
)toml");
  ASSERT_TRUE(made) << made.error().message();
  const auto& columns = made->tables.front().columns;
  EXPECT_FALSE(columns[0].nulls);
  EXPECT_TRUE(columns[3].nulls);
  EXPECT_EQ(columns[1].lower, Rational(1));
  EXPECT_EQ(columns[1].upper, Rational(31));
  EXPECT_EQ(columns[2].lower, Rational(1'000'000));
  EXPECT_EQ(columns[2].upper, Rational(86'400'000'000));
}

TEST_F(DatasetTest, ReadsATableOfADatabaseFile) {
  {
    auto writer = Engine::duckdb_in_memory(Engine::Files::kAllowed);
    ASSERT_TRUE(writer);
    ASSERT_TRUE(
        writer->execute(fmt::format("ATTACH '{}' AS shop", (scratch_ / "shop.duckdb").string())));
    ASSERT_TRUE(writer->execute("CREATE SCHEMA shop.sales"));
    ASSERT_TRUE(writer->execute("CREATE TABLE shop.sales.orders AS SELECT 5 AS id"));
  }
  const Table table = rows(R"toml(
engine = "shop.duckdb"
[datasets.d.tables.orders]
source = "sales.orders"
unit = "id"
columns = {id = "integer"}
)toml");
  EXPECT_EQ(table.columns[0], integers({5}));
}

TEST_F(DatasetTest, TheEngineReadsWhatIsDeclaredAndNothingElse) {
  write(scratch_ / "people.csv", "id,price,day\n1,1,2020-01-01\n");
  write(scratch_ / "other.csv", "a\n1\n");
  const Workspace made = workspace(kPeople);
  auto engine = open_engine(made, made.datasets.front());
  ASSERT_TRUE(engine) << engine.error().message();
  EXPECT_FALSE(engine->query(fmt::format("SELECT * FROM '{}'", (scratch_ / "other.csv").string())));
  EXPECT_FALSE(engine->execute("SET enable_external_access = true"));
  EXPECT_FALSE(engine->execute("SET allowed_directories = ['/']"));
}

TEST_F(DatasetTest, MissingFilesAndEnginesAreSaid) {
  EXPECT_EQ(schema(kPeople).error().exit_status(), 3);
  const Workspace made = workspace("engine = \"gone.duckdb\"\n");
  EXPECT_EQ(open_engine(made, made.datasets.front()).error().exit_status(), 3);
}

TEST_F(DatasetTest, UnderstandsColumns) {
  write(scratch_ / "t.csv", "a,b,c,d,e\n");
  const auto made = schema(R"toml(
max_groups = 4
max_rows = 10
[datasets.d.tables.t]
source = "t.csv"
unit = "row"
[datasets.d.tables.t.columns]
a = {type = "decimal(5,2)", values = [1.5, -2]}
b = {type = "DATE", values = ["2020-02-29", 1970-01-02]}
c = {type = "boolean", values = [true]}
d = {type = "bigint", min = -0.5, max = "1/3"}
e = {type = "text", values = ["x", ""]}
)toml");
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_EQ(made->bounds, (ContributionBounds{.groups = 4, .rows_per_group = 10}));
  const TableSchema* const table = made->find("T");
  ASSERT_NE(table, nullptr);
  EXPECT_EQ(table->unit.kind, Unit::Kind::kRow);
  EXPECT_EQ(table->find("A")->values, integers({150, -200}));
  EXPECT_EQ(table->find("b")->values, integers({18321, 1}));
  EXPECT_EQ(table->find("c")->values, std::vector<Cell>{Cell(true)});
  EXPECT_EQ(table->find("d")->type, kIntegerType);
  EXPECT_EQ(table->find("d")->upper, Rational::ratio(1, 3).value());
  EXPECT_EQ(table->find("e")->values.size(), 2U);
}

TEST_F(DatasetTest, RefusesColumnsThatMakeNoSense) {
  write(scratch_ / "t.csv", "a,A\n");
  const auto refusal = [&](const std::string& columns) {
    const auto made = schema(
        "[datasets.d.tables.t]\nsource = \"t.csv\"\nunit = \"row\"\n"
        "columns = {" +
        columns + "}\n");
    EXPECT_FALSE(made) << columns;
    return made ? Error{} : made.error();
  };
  EXPECT_THAT(refusal("a = \"blob\"").what, HasSubstr("not a type"));
  EXPECT_THAT(refusal("a = \"decimal(39,0)\"").what, HasSubstr("decimal type"));
  EXPECT_THAT(refusal("a = {type = \"integer\", values = [1.5]}").what,
              HasSubstr("not of the type"));
  EXPECT_THAT(refusal("a = {type = \"date\", values = [\"2020-02-30\"]}").what,
              HasSubstr("not of the type"));
  EXPECT_THAT(refusal("a = {type = \"text\", min = 1}").what, HasSubstr("of the column's type"));
  EXPECT_THAT(refusal("a = \"text\", A = \"text\"").what, HasSubstr("regard to case"));
}

TEST_F(DatasetTest, PathsLeadToAUnit) {
  for (const std::string name : {"a", "b", "c"}) write(scratch_ / (name + ".csv"), "k,j,t\n");
  const auto tables = [&](std::string_view a, std::string_view b, std::string_view c) {
    std::string lines;
    for (const auto& [name, unit] : {std::pair{"a", a}, {"b", b}, {"c", c}}) {
      lines += fmt::format(
          "[datasets.d.tables.{0}]\nsource = \"{0}.csv\"\n{1}\n"
          "columns = {{k = \"integer\", j = \"integer\", t = \"text\"}}\n",
          name, unit);
    }
    return schema(lines);
  };
  const auto step = [](std::string_view table, std::string_view key = "k") {
    return fmt::format("unit = {{columns = \"k\", table = \"{}\", keys = \"{}\"}}", table, key);
  };
  const auto good = tables(step("B"), step("c", "j"), "unit = \"t\"");
  EXPECT_TRUE(good) << good.error().message();
  EXPECT_THAT(tables(step("b"), step("c"), step("a")).error().what, HasSubstr("began"));
  EXPECT_THAT(tables(step("a"), "unit = \"k\"", "unit = \"k\"").error().what, HasSubstr("began"));
  EXPECT_THAT(tables(step("b"), step("c"), "public = true").error().what, HasSubstr("public"));
  EXPECT_THAT(tables(step("x"), "unit = \"k\"", "unit = \"k\"").error().what,
              HasSubstr("not declared"));
  EXPECT_THAT(tables(step("b", "x"), "unit = \"k\"", "unit = \"k\"").error().what,
              HasSubstr("no column 'x'"));
  EXPECT_THAT(tables(step("b", "t"), "unit = \"k\"", "unit = \"k\"").error().what,
              HasSubstr("one key"));
}

TEST_F(DatasetTest, DescribesWhatTheEngineSees) {
  write(scratch_ / "t.csv", "id,name,price,day\n1,ann,1.5,2020-01-01\n");
  auto engine = Engine::duckdb_in_memory(Engine::Files::kAllowed);
  ASSERT_TRUE(engine);
  const auto columns = describe(*engine, (scratch_ / "t.csv").string());
  ASSERT_TRUE(columns) << engine->steward_detail();
  EXPECT_EQ(*columns, (std::vector<Column>{{.name = "id", .type = kIntegerType},
                                           {.name = "name", .type = kTextType},
                                           {.name = "price", .type = kRealType},
                                           {.name = "day", .type = kDateType}}));
}

// Runs statements on the server that scripts/with-postgres started.
void run_on_server(const std::string& uri, const std::vector<std::string>& statements) {
  auto driver = adbc::Driver::load("libadbc_driver_postgresql.so", "AdbcDriverPostgresqlInit");
  ASSERT_TRUE(driver) << driver.error().message();
  auto connection = adbc::Connection::open(*std::move(driver), {{"uri", uri}});
  ASSERT_TRUE(connection) << connection.error().text;
  for (const std::string& sql : statements) {
    auto statement = adbc::Statement::make(**connection);
    ASSERT_TRUE(statement) << statement.error().text;
    const auto done = (*statement)->execute(sql);
    ASSERT_TRUE(done) << done.error().text;
  }
}

TEST_F(DatasetTest, ReadsTablesOfAPostgresServer) {
  const char* const uri = std::getenv("TACIT_TEST_POSTGRES");
  if (uri == nullptr) {
    GTEST_SKIP() << "no server: run under scripts/with-postgres (sets TACIT_TEST_POSTGRES)";
  }
  const std::string schema = fmt::format("dataset_test_{}", ::getpid());
  run_on_server(
      uri, {"CREATE SCHEMA " + schema,
            fmt::format("CREATE TABLE {}.orders AS SELECT 7::integer AS id, 1.25::numeric(9,2) AS "
                        "price, 'x'::varchar(3) AS name, DATE '2020-01-01' AS day, '12'::text AS "
                        "words, 1::numeric AS free",
                        schema)});
  const auto tables = [&](std::string_view columns) {
    return fmt::format(
        "engine = \"{}\"\n[datasets.d.tables.orders]\nsource = \"{}.orders\"\nunit = \"id\"\n"
        "columns = {{{}}}\n",
        uri, schema, columns);
  };
  const Table table =
      rows(tables("id = \"integer\", price = \"decimal(12,2)\", name = \"text\", day = \"date\""));
  EXPECT_EQ(table.columns[0], integers({7}));
  EXPECT_EQ(table.columns[1], integers({125}));
  EXPECT_EQ(table.columns[2], std::vector<Cell>{Cell(std::string("x"))});

  // A cast that could fail on a row is refused when the engine is opened.
  for (const std::string column : {"words = \"integer\"", "price = \"decimal(4,2)\"",
                                   "free = \"decimal(9,2)\"", "none = \"text\""}) {
    const Workspace made = workspace(tables("id = \"integer\", " + column));
    const auto engine = open_engine(made, made.datasets.front());
    ASSERT_FALSE(engine) << column;
    EXPECT_EQ(engine.error().exit_status(), 2) << engine.error().message();
  }
  auto engine = Engine::postgres(uri);
  ASSERT_TRUE(engine);
  const auto columns = describe(*engine, schema + ".orders");
  ASSERT_TRUE(columns) << engine->steward_detail();
  EXPECT_EQ(columns->size(), 5U);
  EXPECT_EQ((*columns)[1].type, (Type{TypeKind::kDecimal, 9, 2}));
  run_on_server(uri, {fmt::format("DROP SCHEMA {} CASCADE", schema)});
}

}  // namespace
}  // namespace tacit

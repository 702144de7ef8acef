#include "tacit/ledger/workspace_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tacit/ledger/workspace.h"

namespace tacit {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kShop = R"toml(
[datasets.shop]
neighbours = "add_remove"
epsilon = 3
engine = "shop.duckdb"
max_groups = 4
max_rows = 10

[datasets.shop.tables.orders]
source = "orders/*.csv"
delimiter = ";"
header = false
unit = "o_custkey"

[datasets.shop.tables.orders.columns]
o_orderkey = "integer"
o_custkey = "integer"
o_totalprice = {type = "decimal(15,2)", min = 0, max = 600000.5}
o_orderstatus = {type = "text", values = ["F", "O", "P"]}
"order day" = {type = "date", values = [2020-01-01, "2020-01-02"]}

[datasets.shop.tables.lineitem]
unit = {columns = "l_orderkey", table = "orders", keys = "o_orderkey"}
columns = {l_orderkey = "integer", paid = {type = "boolean", values = [true, false]}}

[datasets.shop.tables.nation]
public = true
columns = {n_name = "text", n = {type = "real", values = [0.1, 1e30, 9223372036854775807]}}

[datasets.shop.tables.visits]
unit = ["person", "day"]
columns = {person = "text", day = "date"}

[datasets.shop.tables.survey]
unit = "row"
columns = {answer = "integer"}
)toml";

Result<Workspace> parse(std::string_view text) {
  return Workspace::parse(text, "/somewhere/tacit.toml");
}

// The refusal of a dataset with one table.
Error refusal(std::string_view dataset_lines, std::string_view table_lines) {
  const auto result =
      parse("[datasets.d]\nneighbours = \"replace\"\nepsilon = 1\n" + std::string(dataset_lines) +
            "\n[datasets.d.tables.t]\n" + std::string(table_lines));
  EXPECT_FALSE(result) << dataset_lines << table_lines;
  return result ? Error{} : result.error();
}

TEST(WorkspaceTables, ReadsWhatIsDeclared) {
  const auto workspace = parse(kShop);
  ASSERT_TRUE(workspace) << workspace.error().message();
  const DeclaredData& data = workspace->datasets[0].data;
  EXPECT_EQ(data.engine, "shop.duckdb");
  EXPECT_EQ(data.max_groups, 4U);
  EXPECT_EQ(data.max_rows, 10U);
  ASSERT_EQ(data.tables.size(), 5U);

  const DeclaredTable& orders = data.tables[0];
  EXPECT_EQ(orders.name, "orders");
  EXPECT_EQ(orders.source, "orders/*.csv");
  EXPECT_EQ(orders.csv, (DeclaredCsv{.delimiter = ";", .header = false}));
  EXPECT_EQ(orders.unit.kind, DeclaredUnit::Kind::kColumns);
  ASSERT_EQ(orders.columns.size(), 5U);
  // In the order of the file, which is that of the columns of a CSV file without a header.
  EXPECT_EQ(orders.columns[0].name, "o_orderkey");
  EXPECT_EQ(orders.columns[2].max, DeclaredBound(Rational::parse("600000.5").value()));
  EXPECT_EQ(orders.columns[4].values,
            (std::vector<DeclaredValue>{std::string("2020-01-01"), std::string("2020-01-02")}));

  const DeclaredTable& lineitem = data.tables[1];
  EXPECT_EQ(lineitem.source, "lineitem");
  EXPECT_EQ(lineitem.unit, (DeclaredUnit{.kind = DeclaredUnit::Kind::kPath,
                                         .columns = {"l_orderkey"},
                                         .table = "orders",
                                         .keys = {"o_orderkey"}}));
  EXPECT_EQ(data.tables[2].unit.kind, DeclaredUnit::Kind::kPublic);
  EXPECT_EQ(data.tables[3].unit.columns, (std::vector<std::string>{"person", "day"}));
  EXPECT_EQ(data.tables[4].unit.kind, DeclaredUnit::Kind::kRow);
}

TEST(WorkspaceTables, WrittenFileReadsBack) {
  const auto workspace = parse(kShop);
  ASSERT_TRUE(workspace) << workspace.error().message();
  const auto back = parse(workspace->to_toml());
  ASSERT_TRUE(back) << back.error().message() << workspace->to_toml();
  EXPECT_EQ(*back, *workspace) << workspace->to_toml();
}

TEST(WorkspaceTables, PathKeysOfTheSameNameAreWrittenOnce) {
  const auto workspace = parse(
      "[datasets.d]\nneighbours = \"replace\"\nepsilon = 1\n[datasets.d.tables.t]\n"
      "unit = {columns = \"k\", table = \"u\"}\ncolumns = {k = \"integer\"}\n");
  ASSERT_TRUE(workspace) << workspace.error().message();
  EXPECT_EQ(workspace->datasets[0].data.tables[0].unit.keys, std::vector<std::string>{"k"});
}

TEST(WorkspaceTables, RefusalsNameTheLine) {
  const Error error = refusal("", "unit = \"row\"\ncolumns = {a = \"integer\"}\nsauce = \"x\"");
  EXPECT_EQ(error.where, "/somewhere/tacit.toml:8");
  EXPECT_THAT(error.what, HasSubstr("sauce"));
}

// "tacit_row" numbers the rows in the SQL that runs, where each is a unit.
TEST(WorkspaceTables, NamesOfTheSqlThatRunsAreReserved) {
  EXPECT_THAT(refusal("", "unit = \"row\"\ncolumns = {tacit_row = \"integer\"}").what,
              HasSubstr("begins with 'tacit_'"));
  EXPECT_THAT(refusal("", "unit = \"row\"\ncolumns = {Tacit_ROW = {type = \"integer\"}}").what,
              HasSubstr("begins with 'tacit_'"));
  const auto table = parse(
      "[datasets.d]\nneighbours = \"replace\"\nepsilon = 1\n[datasets.d.tables.TACIT_t]\n"
      "public = true\ncolumns = {k = \"integer\"}\n");
  ASSERT_FALSE(table);
  EXPECT_THAT(table.error().what, HasSubstr("'TACIT_t'"));
}

TEST(WorkspaceTables, RefusesWhatIsNotSaidOrNotTrue) {
  const std::string columns = "\ncolumns = {a = \"integer\"}\n";
  EXPECT_THAT(refusal("", columns).what, HasSubstr("whose its rows are"));
  EXPECT_THAT(refusal("", "unit = \"b\"" + columns).what, HasSubstr("'b' is not declared"));
  EXPECT_THAT(refusal("", "unit = []" + columns).what, HasSubstr("names no column"));
  EXPECT_THAT(refusal("", "unit = [\"a\", \"a\"]" + columns).what, HasSubstr("twice"));
  EXPECT_THAT(refusal("", "unit = \"a\"\npublic = true" + columns).what, HasSubstr("no unit"));
  EXPECT_THAT(refusal("", "public = false" + columns).what, HasSubstr("needs a unit"));
  EXPECT_THAT(refusal("", "unit = {columns = \"a\"}" + columns).what, HasSubstr("'table'"));
  EXPECT_THAT(
      refusal("", "unit = {columns = \"a\", table = \"u\", keys = [\"b\", \"c\"]}" + columns).what,
      HasSubstr("as many"));
  EXPECT_THAT(refusal("", "unit = \"row\"").what, HasSubstr("no columns"));
  EXPECT_THAT(refusal("", "unit = \"row\"\ncolumns = {a = 5}").what, HasSubstr("text in quotes"));
  EXPECT_THAT(refusal("", "unit = \"row\"\ncolumns = {a = {min = 5}}").what, HasSubstr("no type"));
  EXPECT_THAT(
      refusal("", "public = true\ncolumns = {a = {type = \"integer\", min = 5, max = 4}}").what,
      HasSubstr("above"));
  EXPECT_THAT(refusal("", "public = true\ncolumns = {a = {type = \"integer\", values = []}}").what,
              HasSubstr("list of all values"));
  EXPECT_THAT(
      refusal("", "public = true\ncolumns = {a = {type = \"integer\", values = [1, 1]}}").what,
      HasSubstr("twice"));
  for (const std::string delimiter : {"ab", "\\\"", "\\u001f"}) {
    EXPECT_THAT(refusal("", "public = true\ndelimiter = \"" + delimiter + "\"" + columns).what,
                HasSubstr("one character"));
  }
  EXPECT_THAT(refusal("max_groups = 0", "public = true" + columns).what, HasSubstr("above 0"));
}

TEST(WorkspaceTables, EngineAddressesHoldNoSecret) {
  const std::string table = "public = true\ncolumns = {a = \"integer\"}\n";
  EXPECT_THAT(refusal("engine = \"postgresql://me:secret@db/shop\"", table).what,
              HasSubstr("secret"));
  EXPECT_THAT(refusal("engine = \"spark://db:15002/;token=abc\"", table).what, HasSubstr("secret"));
  EXPECT_THAT(refusal("engine = \"mysql://db/shop\"", table).what, HasSubstr("not an engine"));
  for (const std::string_view engine :
       {"duckdb", "data/shop.duckdb", "postgresql://me@db/shop?sslmode=verify-full",
        "spark://db:15002"}) {
    EXPECT_TRUE(parse("[datasets.d]\nneighbours = \"replace\"\nepsilon = 1\nengine = \"" +
                      std::string(engine) + "\"\n"));
  }
}

}  // namespace
}  // namespace tacit

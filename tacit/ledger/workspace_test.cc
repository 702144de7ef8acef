#include "tacit/ledger/workspace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <stdlib.h>

#include <fstream>

namespace tacit {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kWhole = R"(
version = 1
[ledger]
store = "books/ledger.sqlite"

[datasets.patients]
neighbours = "add_remove"
epsilon = 3
delta = 1e-6

[datasets.patients.parts]
by = "hospital where the patient is registered"
names = ["north", "south"]

[datasets.patients.analysts]
alice = {epsilon = 0.1, delta = 5e-7}
"bob.b" = {epsilon = "1/3"}

[datasets.survey]
neighbours = "replace"
epsilon = 0.5
)";

Result<Workspace> parse(std::string_view text) {
  return Workspace::parse(text, "/somewhere/tacit.toml");
}

// The error of a text that must be refused.
Error refusal(std::string_view text) {
  const auto result = parse(text);
  EXPECT_FALSE(result) << text;
  return result ? Error{} : result.error();
}

std::string dataset_with(std::string_view lines) {
  return "[datasets.d]\nneighbours = \"replace\"\nepsilon = 1\n" + std::string(lines);
}

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "tacit-workspace-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

void write(const std::filesystem::path& file, std::string_view text) {
  std::ofstream(file, std::ios::binary) << text;
}

TEST(Workspace, ReadsEveryFact) {
  const auto workspace = parse(kWhole);
  ASSERT_TRUE(workspace) << workspace.error().message();
  EXPECT_EQ(workspace->folder, "/somewhere");
  EXPECT_EQ(workspace->ledger_file(), "/somewhere/books/ledger.sqlite");
  ASSERT_EQ(workspace->datasets.size(), 2U);

  const DeclaredDataset& patients = workspace->datasets[0];
  EXPECT_EQ(patients.name, "patients");
  EXPECT_EQ(patients.neighbours, Neighbours::kAddRemove);
  EXPECT_EQ(patients.budget.epsilon, Rational(3));
  EXPECT_EQ(patients.budget.delta, Rational::parse("1e-6").value());
  EXPECT_THAT(patients.parts.names, ::testing::ElementsAre("north", "south"));
  ASSERT_EQ(patients.analysts.size(), 2U);
  // One tenth, not the double next to it.
  EXPECT_EQ(patients.analysts[0].budget.epsilon, Rational::ratio(1, 10).value());
  EXPECT_EQ(patients.analysts[0].budget.delta, Rational::parse("5e-7").value());
  EXPECT_EQ(patients.analysts[1].name, "bob.b");
  EXPECT_EQ(patients.analysts[1].budget.epsilon, Rational::ratio(1, 3).value());
  EXPECT_EQ(patients.analysts[1].budget.delta, patients.budget.delta) << "the dataset's";

  const DeclaredDataset& survey = workspace->datasets[1];
  EXPECT_EQ(survey.neighbours, Neighbours::kReplace);
  EXPECT_FALSE(survey.budget.delta);
  EXPECT_TRUE(survey.parts.names.empty());
}

TEST(Workspace, AnEmptyFileIsAWorkspaceWithoutDatasets) {
  const auto workspace = parse("");
  ASSERT_TRUE(workspace);
  EXPECT_TRUE(workspace->datasets.empty());
  EXPECT_EQ(workspace->ledger_file(), "/somewhere/ledger.sqlite");
  EXPECT_THAT(workspace->dataset("patients").error().message(), HasSubstr("declares none"));
}

TEST(Workspace, FindsADatasetByName) {
  const auto workspace = parse(kWhole);
  ASSERT_TRUE(workspace);
  EXPECT_EQ(workspace->dataset("survey")->name, "survey");
  const auto missing = workspace->dataset("surveys");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().exit_status(), 2);
  EXPECT_THAT(missing.error().message(), HasSubstr("patients, survey"));
}

TEST(Workspace, RefusesAnUnknownKeyByNameAndLine) {
  const Error error = refusal("version = 1\n\n[datasets.d]\nepsilom = 1\nepsilon = 1\n");
  EXPECT_EQ(error.kind, ErrorKind::kBadInput);
  EXPECT_THAT(error.what, HasSubstr("'epsilom' in [datasets.d]"));
  EXPECT_EQ(error.where, "/somewhere/tacit.toml:4");
  EXPECT_THAT(error.remedy, HasSubstr("epsilon, delta"));

  EXPECT_THAT(refusal("[legder]\n").what, HasSubstr("'legder'"));
  EXPECT_THAT(refusal("[ledger]\npath = \"x\"\n").what, HasSubstr("'path' in [ledger]"));
  EXPECT_THAT(refusal(dataset_with("parts = {by = \"x\", names = [\"a\"], more = 1}")).what,
              HasSubstr("'more'"));
  EXPECT_THAT(refusal(dataset_with("analysts = {a = {epsilon = 1, rank = 2}}")).what,
              HasSubstr("'rank'"));
  // The first of several, in the order of the file.
  EXPECT_THAT(refusal("zebra = 1\napple = 1\n").what, HasSubstr("'zebra'"));
}

TEST(Workspace, RefusesBadValuesWithPlaceAndRemedy) {
  for (const char* const epsilon : {"0", "-1", "nan", "inf", "-inf", "true", "\"much\"", "[1]",
                                    "\"\"", "\"1/0\"", "1979-05-27"}) {
    const Error error =
        refusal("[datasets.d]\nneighbours = \"replace\"\nepsilon = " + std::string(epsilon) + "\n");
    EXPECT_THAT(error.what, HasSubstr("'epsilon' must be")) << epsilon;
    EXPECT_EQ(error.where, "/somewhere/tacit.toml:3") << epsilon;
    EXPECT_FALSE(error.remedy.empty()) << epsilon;
  }
  for (const char* const delta : {"0", "1", "-1e-6", "2", "nan", "false"}) {
    EXPECT_THAT(refusal(dataset_with("delta = " + std::string(delta))).what,
                HasSubstr("'delta' must be"))
        << delta;
  }
  EXPECT_THAT(refusal("[datasets.d]\nepsilon = 1\n").what, HasSubstr("neighbours"));
  EXPECT_THAT(refusal("[datasets.d]\nepsilon = 1\nneighbours = \"both\"\n").what,
              HasSubstr("'neighbours' must be"));
  EXPECT_THAT(refusal("[datasets.d]\nneighbours = \"replace\"\n").what, HasSubstr("no epsilon"));
  EXPECT_THAT(refusal("version = 2\n").what, HasSubstr("version 2"));
  EXPECT_THAT(refusal("version = 2\n").remedy, HasSubstr("newer"));
  EXPECT_THAT(refusal("version = \"1\"\n").what, HasSubstr("'version' must be"));
  EXPECT_THAT(refusal("datasets = 3\n").what, HasSubstr("must be a table"));
  EXPECT_THAT(refusal("datasets = {d = 3}\n").what, HasSubstr("must be a table"));
  EXPECT_THAT(refusal("ledger = \"x\"\n").what, HasSubstr("must be a table"));
  EXPECT_THAT(refusal("[ledger]\nstore = 1\n").what, HasSubstr("'store' must be a text"));
  EXPECT_THAT(refusal("[ledger]\nstore = \"a\\u0000b\"\n").what, HasSubstr("on one line"));
}

TEST(Workspace, RefusesNamesThatACommandCouldNotName) {
  for (const char* const name :
       {"\"\"", "\"two words\"", "\"a/b\"", "\"-x\"", "\"a\\nb\"", "\"é\"", "\"a:b\"", "\"a@b\""}) {
    const std::string text =
        "[datasets." + std::string(name) + "]\nneighbours = \"replace\"\nepsilon = 1\n";
    EXPECT_THAT(refusal(text).what, HasSubstr("cannot be the name of a dataset")) << name;
  }
  EXPECT_THAT(refusal("[datasets." + std::string(65, 'a') + "]\n").what, HasSubstr("cannot be"));
  EXPECT_THAT(refusal(dataset_with("analysts = {\"a b\" = {epsilon = 1}}")).what,
              HasSubstr("cannot be the name of an analyst"));
  EXPECT_THAT(refusal(dataset_with("parts = {by = \"x\", names = [\"a b\"]}")).what,
              HasSubstr("cannot be the name of a part"));
}

TEST(Workspace, RefusesPartsThatAreNotDeclaredWhole) {
  EXPECT_THAT(refusal(dataset_with("parts = {names = [\"a\"]}")).what,
              HasSubstr("'by' and 'names'"));
  EXPECT_THAT(refusal(dataset_with("parts = {by = \"x\"}")).what, HasSubstr("'by' and 'names'"));
  EXPECT_THAT(refusal(dataset_with("parts = {by = \"x\", names = []}")).what, HasSubstr("list of"));
  EXPECT_THAT(refusal(dataset_with("parts = {by = \"x\", names = [1]}")).what, HasSubstr("text"));
  EXPECT_THAT(refusal(dataset_with("parts = {by = \"x\", names = [\"a\", \"b\", \"a\"]}")).what,
              HasSubstr("'a' is named twice"));
}

TEST(Workspace, RefusesAnalystsOutsideTheDatasetsBudget) {
  EXPECT_THAT(refusal(dataset_with("analysts = {a = {epsilon = 1.5}}")).what, HasSubstr("larger"));
  EXPECT_THAT(refusal(dataset_with("analysts = {a = {epsilon = 1, delta = 1e-6}}")).what,
              HasSubstr("no delta"));
  EXPECT_THAT(
      refusal(dataset_with("delta = 1e-6\nanalysts = {a = {epsilon = 1, delta = 1e-5}}")).what,
      HasSubstr("larger"));
  EXPECT_THAT(refusal(dataset_with("analysts = {a = 1}")).what, HasSubstr("must be a table"));
}

TEST(Workspace, ReadsTheOrdersOfABudget) {
  const auto workspace = parse(
      dataset_with("delta = 1e-6\norders = [32, 64.5]\ncaps = [0.9, \"1/2\"]\ndelta_reserve = 0\n"
                   "analysts = {a = {epsilon = 1}, b = {epsilon = 1, orders = [32]}}"));
  ASSERT_TRUE(workspace) << workspace.error().message();
  const DeclaredDataset& dataset = workspace->datasets.front();
  EXPECT_EQ(dataset.budget.orders, (std::vector<double>{32, 64.5}));
  EXPECT_EQ(dataset.budget.caps.back(), Rational::ratio(1, 2).value());
  EXPECT_EQ(dataset.budget.delta_reserve, Rational(0));
  EXPECT_EQ(dataset.analysts[0].budget.orders, dataset.budget.orders) << "the dataset's";
  EXPECT_EQ(dataset.analysts[1].budget.orders, (std::vector<double>{32}));
  EXPECT_EQ(parse(workspace->to_toml()).value(), *workspace);

  for (const char* const lines :
       {"orders = [8]", "delta = 1e-6\norders = []", "delta = 1e-6\norders = 8",
        "delta = 1e-6\norders = [64, 8]", "delta = 1e-6\norders = [1]", "delta = 1e-6\ncaps = [1]",
        "delta = 1e-6\norders = [64]\ncaps = [9]", "delta = 1e-6\norders = [64]\ncaps = [0.1, 0.2]",
        "delta = 1e-6\ndelta_reserve = 1e-6", "delta_reserve = 1e-6",
        "delta = 1e-6\norders = [\"x\"]"}) {
    EXPECT_EQ(refusal(dataset_with(lines)).exit_status(), 2) << lines;
  }
}

TEST(Workspace, RefusesBrokenToml) {
  const Error error = refusal("version = 1\n[ledger\n");
  EXPECT_THAT(error.what, HasSubstr("not valid TOML"));
  EXPECT_EQ(error.where, "/somewhere/tacit.toml:2");
  EXPECT_THAT(refusal("a = 1\na = 2\n").what, HasSubstr("not valid TOML"));
  EXPECT_THAT(refusal(std::string("a = \"\xff\"", 8)).what, HasSubstr("not valid TOML"));
  EXPECT_THAT(refusal(std::string(100'000, '[')).what, HasSubstr("not valid TOML"));
  EXPECT_THAT(refusal(std::string(Workspace::kLargestFile + 1, '#')).what, HasSubstr("more than"));
}

TEST(Workspace, KeepsSecretsOutOfTheFileAndOutOfErrors) {
  for (const char* const uri : {"postgresql://tacit:hunter2@db.example.org/tacit",
                                "postgres://tacit@db.example.org/tacit?password=hunter2",
                                "postgresql://tacit@db/tacit?sslpassword=hunter2",
                                "postgresql://tacit:hunter2@db.example.org:port:port/tacit?x=y"}) {
    const Error error = refusal("[ledger]\nstore = \"" + std::string(uri) + "\"\n");
    EXPECT_THAT(error.message(), Not(HasSubstr("hunter2"))) << uri;
    EXPECT_FALSE(error.remedy.empty());
  }
  const auto plain =
      parse("[ledger]\nstore = \"postgresql://tacit@db.example.org/tacit?sslmode=verify-full\"\n");
  ASSERT_TRUE(plain);
  EXPECT_TRUE(std::holds_alternative<PostgresLedger>(plain->ledger));
  EXPECT_TRUE(plain->ledger_file().empty());
  EXPECT_EQ(std::get<PostgresLedger>(plain->ledger).schema, "tacit");
  EXPECT_THAT(refusal("[ledger]\nstore = \"mysql://db/tacit\"\n").what, HasSubstr("SQLite file"));
}

TEST(Workspace, ALedgerOnAServerMayNameItsSchema) {
  const std::string server = "[ledger]\nstore = \"postgresql://db/tacit\"\n";
  const auto named = parse(server + "schema = \"clinic_2\"\n");
  ASSERT_TRUE(named) << named.error().message();
  EXPECT_EQ(std::get<PostgresLedger>(named->ledger).schema, "clinic_2");
  EXPECT_THAT(refusal(server + "schema = \"a'b\"\n").what, HasSubstr("schema"));
  EXPECT_THAT(refusal("[ledger]\nschema = \"clinic\"\n").what, HasSubstr("PostgreSQL"));
}

TEST(Workspace, AbsolutePathOfTheLedgerIsKept) {
  const auto workspace = parse("[ledger]\nstore = \"/var/lib/tacit/ledger.sqlite\"\n");
  ASSERT_TRUE(workspace);
  EXPECT_EQ(workspace->ledger_file(), "/var/lib/tacit/ledger.sqlite");
}

TEST(Workspace, IsFoundFromAFolderBelow) {
  const TemporaryFolder folder;
  write(folder.path() / "tacit.toml", kWhole);
  std::filesystem::create_directories(folder.path() / "a" / "b");
  const auto found = Workspace::find(folder.path() / "a" / "b");
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_EQ(found->folder, folder.path());
  EXPECT_EQ(found->datasets.size(), 2U);

  // The nearest one counts.
  write(folder.path() / "a" / "tacit.toml", "");
  EXPECT_EQ(Workspace::find(folder.path() / "a" / "b")->folder, folder.path() / "a");
}

TEST(Workspace, SaysHowToMakeOneWhereThereIsNone) {
  const TemporaryFolder folder;
  const auto found = Workspace::find(folder.path());
  // A workspace at the root of the file system would be found; there is none.
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().exit_status(), 2);
  EXPECT_THAT(found.error().remedy, HasSubstr("tacit init"));
}

TEST(Workspace, IsReadByFolderOrByFile) {
  const TemporaryFolder folder;
  write(folder.path() / "tacit.toml", kWhole);
  EXPECT_TRUE(Workspace::read(folder.path()));
  EXPECT_TRUE(Workspace::read(folder.path() / "tacit.toml"));
  EXPECT_EQ(Workspace::read(folder.path() / "absent").error().exit_status(), 2);
  EXPECT_EQ(Workspace::read("/dev/zero").error().exit_status(), 2);
  std::filesystem::create_directories(folder.path() / "odd" / "tacit.toml");
  EXPECT_EQ(Workspace::read(folder.path() / "odd" / "tacit.toml").error().exit_status(), 2);
  EXPECT_EQ(Workspace::read(folder.path() / "odd").error().exit_status(), 2);
}

TEST(Workspace, WrittenFileReadsBack) {
  for (const std::string_view text :
       {kWhole, std::string_view(""),
        std::string_view("[ledger]\nstore = \"postgresql://tacit@db/tacit?sslmode=require\"\n"
                         "schema = \"clinic\"\n"),
        std::string_view("[ledger]\nstore = 'a \"quoted\" \\ name'\n")}) {
    const auto workspace = parse(text);
    ASSERT_TRUE(workspace) << text;
    const std::string written = workspace->to_toml();
    const auto back = parse(written);
    ASSERT_TRUE(back) << back.error().message() << "\n" << written;
    EXPECT_EQ(*back, *workspace) << written;
  }
}

RC_GTEST_PROP(Workspace, AnyBudgetReadsBackExactly,
              (std::uint32_t numerator, std::uint32_t denominator)) {
  RC_PRE(numerator > 0U && denominator > 0U);
  Workspace workspace{.folder = "/somewhere"};
  workspace.datasets.push_back(
      {.name = "d", .budget = {.epsilon = Rational::ratio(numerator, denominator).value()}});
  const auto back = parse(workspace.to_toml());
  RC_ASSERT(back.has_value());
  RC_ASSERT(*back == workspace);
}

}  // namespace
}  // namespace tacit

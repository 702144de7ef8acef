#include "tacit/anonymize/publication.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "tacit/anonymize/testing/small_table.h"

namespace tacit::anonymize {
namespace {

using ::testing::ElementsAre;

// Five people: town and age coded, name and note plain.
class PublicationTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::ofstream(folder_ / "table.csv") << "name,town,age,note\n"
                                            "ann,Bern,30,a\n"
                                            "bob,Uri,30,b\n"
                                            "cid,Bern,41,c\n"
                                            "dan,Zug,41,\n"
                                            "eve,,30,e\n";
    const auto source = SourceFile::open(engine_, folder_ / "table.csv");
    ASSERT_TRUE(source) << source.error().message();
    auto rows = CodedRows::read(engine_, *source, {"town", "age"}, {"name", "note"});
    ASSERT_TRUE(rows) << rows.error().message();
    rows_.emplace(*std::move(rows));
  }

  // What each town becomes: the west, the east, and what was missing stays so.
  published::Recoded towns() const {
    published::Recoded out{.coded = 0};
    for (const Value& town : rows_->values()[0]) {
      out.labels.push_back(town.text.empty() ? "" : town.text == "Bern" ? "west" : "east");
    }
    return out;
  }

  // The lines of the file, the first where it is and the rest in order. By the engine: other
  // formats than CSV are its own.
  std::vector<Fields> written(Publication publication) {
    publication.form.format = RowFormat::kParquet;
    const auto file = folder_ / "out.parquet";
    std::filesystem::remove(file);
    const auto done = write_rows(engine_, *rows_, publication, file);
    if (!done) ADD_FAILURE() << done.error().message();
    EXPECT_TRUE(engine_.execute("COPY (FROM '" + file.string() + "') TO '" +
                                (folder_ / "out.csv").string() + "'"));
    auto lines = testing::lines_of(folder_ / "out.csv");
    std::sort(lines.begin() + 1, lines.end());
    return lines;
  }

  Scratch folder_;
  Engine engine_ = testing::engine_with_files();
  std::optional<CodedRows> rows_;
};

TEST_F(PublicationTest, MakesEachColumnFromWhatItIsMadeFrom) {
  EXPECT_THAT(written({.columns = {{"where", towns()},
                                   {"age", published::Unchanged{.coded = 1, .type = "INTEGER"}},
                                   {"all", published::Recoded{.coded = 1, .labels = {"*", "*"}}},
                                   {"said", published::Plain{.plain = 1}}}}),
              ElementsAre(Fields{"where", "age", "all", "said"}, Fields{"", "30", "*", "e"},
                          Fields{"east", "30", "*", "b"}, Fields{"east", "41", "*", ""},
                          Fields{"west", "30", "*", "a"}, Fields{"west", "41", "*", "c"}));
  const auto types = engine_.query(
      "SELECT typeof(age), typeof(\"where\"), count(*) FILTER (WHERE "
      "\"where\" IS NULL) OVER () FROM '" +
      (folder_ / "out.parquet").string() + "' LIMIT 1");
  ASSERT_TRUE(types);
  EXPECT_EQ(types->columns[0][0], Cell("INTEGER"));
  EXPECT_EQ(types->columns[1][0], Cell("VARCHAR"));
  EXPECT_EQ(types->columns[2][0], Cell(int128{1})) << "what is empty is missing";
}

TEST_F(PublicationTest, ShowsNobodysNameWithoutAKey) {
  const std::vector<PublishedColumn> columns{{"name", published::Pseudonym{.plain = 0}},
                                             {"note", published::Plain{.plain = 1}}};
  auto lines = written({.columns = columns});
  ASSERT_EQ(lines.size(), 6U);
  for (std::size_t i = 1; i < lines.size(); ++i) EXPECT_EQ(lines[i][0], "");
  auto stream = SecureStream::create().value();
  lines = written({.columns = columns, .key = PseudonymKey::create(stream)});
  for (std::size_t i = 1; i < lines.size(); ++i) EXPECT_EQ(lines[i][0].size(), 32U);
}

TEST_F(PublicationTest, LeavesOutTheClassesThatAreSuppressed) {
  Publication publication{
      .columns = {{"where", towns()}, {"age", published::Unchanged{.coded = 1, .type = ""}}}};
  using enum ChosenClasses::Which;
  publication.classes = {.which = kSuppressed, .labels = {{"west", "east"}, {"30", "41"}}};
  EXPECT_THAT(written(publication), ElementsAre(Fields{"where", "age"}, Fields{"", "30"},
                                                Fields{"east", "30"}, Fields{"west", "41"}));
  publication.classes.which = kKept;
  EXPECT_THAT(written(publication),
              ElementsAre(Fields{"where", "age"}, Fields{"east", "41"}, Fields{"west", "30"}));
  publication.classes.labels = {{}, {}};
  EXPECT_THAT(written(publication), ElementsAre(Fields{"where", "age"})) << "none is kept";
  publication.classes.which = kSuppressed;
  EXPECT_EQ(written(publication).size(), 6U) << "none is suppressed";
}

TEST_F(PublicationTest, SaysThatItCannotBeWritten) {
  const auto nowhere = write_rows(
      engine_, *rows_,
      {.columns = {{"where", towns()}}, .form = {.format = RowFormat::kParquet, .delimiter = {}}},
      folder_ / "nowhere" / "out.parquet");
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().kind, ErrorKind::kWorld);
}

}  // namespace
}  // namespace tacit::anonymize

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "tacit/anonymize/choice.h"
#include "tacit/anonymize/publish.h"
#include "tacit/anonymize/testing/small_table.h"

namespace tacit::anonymize {
namespace {

using testing::lines_of;

constexpr const char* kPolicy = R"([columns]
name = "identifier"
age = {role = "quasi-identifier", hierarchy = {intervals = [5, 10, 20]}}
town = {role = "quasi-identifier", hierarchy = {file = "town.csv"}}
row = "other"
illness = {role = "sensitive", criteria = {distinct_l = 2}}
[privacy]
k = 3
suppression = 0.4
)";

// A table of some hundred rows: plain, or with one field in quotation marks that do not need to be.
class TextPublicationTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::ofstream(folder_ / "policy.toml") << kPolicy;
    std::ofstream(folder_ / "town.csv") << "Bern;\"west, \"\"old\"\" part\";*\nUri;east;*\n"
                                           "Zürich;east;*\n;;*\n";
    write("plain.csv", "Bern");
    write("quoted.csv", "\"Bern\"");
  }

  void write(const std::string& name, const char* first) const {
    std::ofstream out(folder_ / name);
    out << "name,age,town,row,illness\n";
    const char* const towns[] = {"Bern", "Uri", "Zürich", ""};
    const char* const illnesses[] = {"flu", "cold", ""};
    for (int i = 0; i < 400; ++i) {
      out << "p" << i << ',' << (i % 90 == 5 ? 100 * i : 20 + i * 7 % 40) << ','
          << (i == 0 ? first : towns[i % 13 % 4]) << ',' << i << ',' << illnesses[i % 7 % 3]
          << '\n';
    }
  }

  // Publishes it, and says whether it was held here.
  bool publish_as(const std::string& from, const std::string& to) {
    Engine engine = testing::engine_with_files();
    const auto policy = Policy::read(folder_ / "policy.toml");
    if (!policy) ADD_FAILURE() << policy.error().message();
    const auto data = Microdata::read(engine, folder_ / from, *policy);
    if (!data) ADD_FAILURE() << data.error().message() << engine.steward_detail();
    const auto choice = choose(*data, *policy);
    if (!choice) ADD_FAILURE() << choice.error().message();
    const auto done =
        publish(engine, *data, *policy, *choice, std::nullopt, std::nullopt, folder_ / to);
    if (!done) ADD_FAILURE() << done.error().message() << engine.steward_detail();
    return data->rows.text() != nullptr;
  }

  // The lines of a file, the first one where it is and the rest in order.
  std::vector<Fields> sorted(const std::string& name) const {
    std::vector<Fields> out = lines_of(folder_ / name);
    std::sort(out.begin() + 1, out.end());
    return out;
  }

  Scratch folder_;
};

TEST_F(TextPublicationTest, WritesTheRowsThatTheEngineWould) {
  EXPECT_TRUE(publish_as("plain.csv", "here.csv"));
  EXPECT_FALSE(publish_as("quoted.csv", "engine.csv"));
  EXPECT_EQ(sorted("here.csv"), sorted("engine.csv"));
  EXPECT_GT(sorted("here.csv").size(), 200);
  EXPECT_LT(sorted("here.csv").size(), 401);  // some were suppressed
}

// What is held here can be put into the engine where that must write.
TEST_F(TextPublicationTest, LeavesOtherFormatsToTheEngine) {
  EXPECT_TRUE(publish_as("plain.csv", "here.csv"));
  EXPECT_TRUE(publish_as("plain.csv", "there.parquet"));
  Engine engine = testing::engine_with_files();
  ASSERT_TRUE(engine.execute("COPY (FROM '" + (folder_ / "there.parquet").string() + "') TO '" +
                             (folder_ / "there.csv").string() + "'"));
  EXPECT_EQ(sorted("there.csv"), sorted("here.csv"));
}

// Of a random order every other step is up, within 10 standard deviations of sqrt(n / 12).
TEST_F(TextPublicationTest, OrdersRowsAfresh) {
  ASSERT_TRUE(publish_as("plain.csv", "first.csv"));
  ASSERT_TRUE(publish_as("plain.csv", "second.csv"));
  EXPECT_NE(lines_of(folder_ / "first.csv"), lines_of(folder_ / "second.csv"));
  for (const char* const name : {"first.csv", "second.csv"}) {
    const auto lines = lines_of(folder_ / name);
    double ups = 0;
    for (std::size_t i = 2; i < lines.size(); ++i) {
      ups += std::stoi(lines[i][2]) > std::stoi(lines[i - 1][2]) ? 1 : 0;
    }
    const auto rows = static_cast<double>(lines.size() - 1);
    EXPECT_NEAR(ups, rows / 2, 10 * std::sqrt(rows / 12));
  }
}

TEST_F(TextPublicationTest, SaysWhenItCannotWrite) {
  Engine engine = testing::engine_with_files();
  const auto policy = Policy::read(folder_ / "policy.toml").value();
  const auto data = Microdata::read(engine, folder_ / "plain.csv", policy).value();
  const auto choice = choose(data, policy).value();
  const auto done = publish(engine, data, policy, choice, std::nullopt, std::nullopt,
                            folder_ / "no such folder" / "safe.csv");
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().exit_status(), 3);
  EXPECT_THAT(done.error().message(), ::testing::HasSubstr("cannot be written"));
}

}  // namespace
}  // namespace tacit::anonymize

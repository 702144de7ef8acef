#include "tacit/base/toml_reader_internal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tacit {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const TomlReader kReader("policy.toml");

TEST(TomlReader, NamesTheLineOfWhatItRefuses) {
  const toml::table file = toml::parse("a = 1\nb = 2\n");
  const auto refused = kReader.refuse(*file.get("b"), "it is two", "write 1");
  EXPECT_EQ(refused.error().message(),
            bad_input("it is two", "policy.toml:2", "write 1").error().message());
  EXPECT_EQ(kReader.place(toml::source_region{}), "policy.toml") << "nothing that was read";
}

TEST(TomlReader, RefusesTheFirstKeyOfTheFileThatNothingReads) {
  const toml::table file = toml::parse("epsilon = 1\nzeal = 2\nepsilom = 3\n");
  EXPECT_TRUE(kReader.only_keys(file, "the file", {"epsilom", "epsilon", "zeal"}));
  const auto refused = kReader.only_keys(file, "the file", {"epsilon", "zealot"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().where, "policy.toml:2") << "by place, not by name";
  EXPECT_EQ(refused.error().what, "unknown key 'zeal' in the file");
  const auto near = kReader.only_keys(file, "the file", {"epsilon", "zeal"});
  ASSERT_FALSE(near);
  EXPECT_THAT(near.error().remedy, HasSubstr("is it 'epsilon'?"));
  EXPECT_THAT(near.error().remedy, HasSubstr("the keys here are: epsilon, zeal"));
}

TEST(TomlReader, TellsAMissingTableFromOneThatIsNone) {
  const toml::table file = toml::parse("[ledger]\nstore = \"a\"\n[other]\nledger = 1\n");
  EXPECT_EQ(kReader.table(file, "ledger").value(), file.get("ledger"));
  EXPECT_EQ(kReader.table(file, "nothing").value(), nullptr);
  EXPECT_FALSE(kReader.table(*file.get("other")->as_table(), "ledger"));
}

TEST(TomlReader, TakesTextsOfOneLineThatSaySomething) {
  const toml::table file = toml::parse(R"(good = "Müller"
empty = ""
lines = "a\nb"
number = 3
)");
  EXPECT_EQ(kReader.text(*file.get("good"), "good", "x").value(), "Müller");
  for (const char* const key : {"empty", "lines", "number"}) {
    EXPECT_FALSE(kReader.text(*file.get(key), key, "x")) << key;
  }
}

TEST(TomlReader, TakesNumbersAsTheyAreWritten) {
  const toml::table file = toml::parse(R"(whole = 3
tenth = 0.1
third = "1/3"
word = "three"
truth = true
endless = inf
)");
  EXPECT_EQ(kReader.number(*file.get("whole"), "whole").value(), Rational(3));
  EXPECT_EQ(kReader.number(*file.get("tenth"), "tenth").value(), Rational::ratio(1, 10).value())
      << "the decimal, and not the double next to it";
  EXPECT_EQ(kReader.number(*file.get("third"), "third").value(), Rational::ratio(1, 3).value());
  for (const char* const key : {"word", "truth", "endless"}) {
    EXPECT_FALSE(kReader.number(*file.get(key), key)) << key;
  }
}

TEST(TomlReader, KeepsTheOrderOfTheFile) {
  const toml::table file = toml::parse("c = 1\na = 2\nb = 3\n");
  std::vector<std::string> names;
  for (const toml::key* const key : keys_in_order(file)) names.emplace_back(key->str());
  EXPECT_THAT(names, ElementsAre("c", "a", "b"));
}

TEST(TomlReader, ShowsTextsShortAndInOneLine) {
  EXPECT_EQ(shown("a\nb\x7f"), "a?b?");
  EXPECT_EQ(shown(std::string(65, 'x')), std::string(64, 'x'));
}

TEST(TomlReader, WritesWhatItReadsBack) {
  for (const std::string text : {"plain", "a \"quoted\" \\ word", "tab\tand\nline", "Müller", ""}) {
    const toml::table file = toml::parse(toml_key(text) + " = " + toml_string(text));
    EXPECT_EQ(*file.get(text)->value_exact<std::string>(), text);
  }
  EXPECT_EQ(toml_key("visits-2026_a"), "visits-2026_a");
  EXPECT_EQ(toml_key("north east"), "\"north east\"");
  EXPECT_EQ(toml_number(Rational::ratio(1, 8).value()), "0.125");
  EXPECT_EQ(toml_number(Rational::ratio(1, 3).value()), "\"1/3\"");
  const Rational fine = Rational::parse("0.12345678901234567890123").value();
  const toml::table file = toml::parse("n = " + toml_number(fine));
  EXPECT_EQ(kReader.number(*file.get("n"), "n").value(), fine) << "more digits than a double has";
}

}  // namespace
}  // namespace tacit

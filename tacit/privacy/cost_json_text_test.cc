#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tacit/privacy/cost_json_text_internal.h"

namespace tacit {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr JsonLimits kLimits{.bytes = 200, .values = 10, .depth = 3};

std::string refusal(std::string_view text) {
  const Result<JsonText> value = parse_json_text(text, kLimits);
  return value ? "read" : value.error().what;
}

TEST(CostJsonText, NumbersKeepTheirText) {
  const JsonText value =
      parse_json_text(R"([0.10, 1e-400, 18446744073709551616, -3, "1/3"])", kLimits).value();
  ASSERT_EQ(value.kind, JsonText::Kind::kArray);
  std::vector<std::string> texts;
  for (const JsonText& item : value.items) texts.push_back(item.text);
  EXPECT_THAT(texts, ElementsAre("0.10", "1e-400", "18446744073709551616", "-3", "1/3"));
  EXPECT_EQ(value.items[3].kind, JsonText::Kind::kNumber);
  EXPECT_EQ(value.items[4].kind, JsonText::Kind::kString);
}

TEST(CostJsonText, FindsFieldsByName) {
  const JsonText value = parse_json_text(R"({"a": {"b": 1}, "c": null})", kLimits).value();
  ASSERT_NE(value.find("a"), nullptr);
  EXPECT_EQ(value.find("a")->find("b")->text, "1");
  EXPECT_EQ(value.find("c")->kind, JsonText::Kind::kMeaningless);
  EXPECT_EQ(value.find("b"), nullptr);
}

TEST(CostJsonText, RefusesKeysGivenTwice) {
  EXPECT_THAT(refusal(R"({"a": 1, "a": 2})"), HasSubstr("'a' is given twice"));
  EXPECT_EQ(refusal(R"([{"a": 1}, {"a": 2}])"), "read");
}

TEST(CostJsonText, RefusesWhatIsNoJson) {
  for (const char* text : {"", "{", "[1,]", "{'a': 1}", "1 2", "nan", "\"\xff\"", "01"}) {
    EXPECT_THAT(refusal(text), HasSubstr("not JSON")) << text;
  }
}

TEST(CostJsonText, RefusesWhatPassesTheLimits) {
  EXPECT_EQ(refusal("[[[1]]]"), "read");
  EXPECT_THAT(refusal("[[[[1]]]]"), HasSubstr("deeper"));
  EXPECT_EQ(refusal("[1,2,3,4,5,6,7,8,9]"), "read");
  EXPECT_THAT(refusal("[1,2,3,4,5,6,7,8,9,0]"), HasSubstr("more parts"));
  EXPECT_THAT(refusal(std::string(201, ' ')), HasSubstr("longer than 200 bytes"));
  std::string fields = "{";
  for (int i = 0; i < 40; ++i) fields += (i > 0 ? "," : "") + ('"' + std::to_string(i) + "\":1");
  const Result<JsonText> many = parse_json_text(fields + "}", {1000, 100, 3});
  EXPECT_THAT(many.error().what, HasSubstr("more fields"));
}

}  // namespace
}  // namespace tacit

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tacit/anonymize/policy.h"

namespace tacit::anonymize {
namespace {

using ::testing::HasSubstr;

Result<Policy> with(const std::string& method) {
  return Policy::parse("[columns]\nage = \"quasi-identifier\"\n[privacy]\nk = 5\n" + method,
                       "policy.toml");
}

TEST(PolicyMethod, IsGlobalRecodingUnlessSaidOtherwise) {
  EXPECT_EQ(name(with("")->method), "global recoding");
  EXPECT_EQ(name(with("[method]\nkind = \"global\"\n")->method), "global recoding");
  EXPECT_EQ(name(with("[method]\nkind = \"mondrian\"\n")->method), "Mondrian");
  EXPECT_EQ(name(with("[method]\nkind = \"mondrian\"\nrelaxed = true\n")->method),
            "Mondrian, relaxed");
  EXPECT_EQ(name(with("[method]\nkind = \"local\"\n")->method), "local recoding");
  EXPECT_EQ(name(with("[method]\nkind = \"cells\"\n")->method), "cell suppression");
}

TEST(PolicyMethod, TakesGroups) {
  EXPECT_EQ(name(with("[method]\nkind = \"microaggregation\"\ncenter = \"median\"\n")->method),
            "microaggregation");
  EXPECT_THAT(with("[method]\ncenter = \"mean\"\n").error().message(),
              HasSubstr("of microaggregation"));
}

TEST(PolicyMethod, TakesASample) {
  EXPECT_FALSE(with("")->sample);
  EXPECT_EQ(with("[method]\nsample = 0.1\n")->sample, Rational::ratio(1, 10).value());
}

TEST(PolicyMethod, RefusesWhatItDoesNotKnow) {
  const auto message = [](const std::string& method) { return with(method).error().message(); };
  EXPECT_THAT(message("[method]\nkind = \"magic\"\n"), HasSubstr("policy.toml:6: this is not"));
  EXPECT_THAT(message("[method]\nsample = 1.5\n"), HasSubstr("up to 1"));
  EXPECT_THAT(message("[method]\nkind = \"local\"\nrelaxed = true\n"), HasSubstr("of Mondrian"));
  EXPECT_THAT(message("[method]\nkind = \"mondrian\"\nrelaxed = 1\n"), HasSubstr("true or false"));
  EXPECT_THAT(message("[method]\nkind = \"mondrian\"\nk = 1\n"), HasSubstr("'k'"));
}

}  // namespace
}  // namespace tacit::anonymize

#include "tacit/attacks/generalized_value.h"

#include <gtest/gtest.h>

namespace tacit::attacks {
namespace {

struct Case {
  const char* label;
  std::vector<const char*> agree;
  std::vector<const char*> differ;
  std::optional<double> candidates;
};

class Labels : public ::testing::TestWithParam<Case> {};

TEST_P(Labels, AgreeWithJustTheseValues) {
  const Case& each = GetParam();
  const GeneralizedValue label(each.label);
  for (const char* const value : each.agree) {
    EXPECT_TRUE(label.agrees(ExactValue(value))) << each.label << " and " << value;
  }
  for (const char* const value : each.differ) {
    EXPECT_FALSE(label.agrees(ExactValue(value))) << each.label << " and " << value;
  }
  EXPECT_EQ(label.candidates(), each.candidates) << each.label;
  EXPECT_TRUE(label.agrees(ExactValue(each.label)));
  EXPECT_TRUE(label.agrees(ExactValue(""))) << "what is not known rules nothing out";
}

INSTANTIATE_TEST_SUITE_P(
    Numbers, Labels,
    ::testing::Values(Case{"39", {"39", "39.0", "3.9e1"}, {"38", "390", "x"}, 1},
                      Case{"30-39", {"30", "35.5", "39"}, {"29", "40", "30x", "1930-01-01"}, 10},
                      Case{"-10 to -5", {"-10", "-5"}, {"-11", "-4", "5"}, 6},
                      Case{"-10--5", {"-10", "-7"}, {"7"}, 6},
                      Case{"31 .. 40", {"31", "40"}, {"41"}, 10},
                      Case{"[30, 40)", {"30", "39.9"}, {"40", "29"}, 10},
                      Case{"[30, 40[", {"30", "39"}, {"40", "29"}, 10},
                      Case{"(30,40]", {"31", "40"}, {"30", "41"}, 10},
                      Case{"]29, 39]", {"30", "39"}, {"29", "40"}, 10},
                      Case{"[2.5, 5)", {"2.5", "4.9"}, {"5", "2"}, {}},
                      Case{"[20-30]", {"20", "30"}, {"19", "31"}, 11},
                      Case{"<0", {"-1"}, {"0"}, {}}, Case{"<=0", {"-1", "0"}, {"1"}, {}},
                      Case{">=90", {"90", "120"}, {"89"}, {}}, Case{">89", {"90"}, {"89"}, {}},
                      Case{"≥90", {"90"}, {"89"}, {}}, Case{"90+", {"90"}, {"89"}, {}},
                      Case{"(-inf,5]", {"-99", "5"}, {"6"}, {}}));

INSTANTIATE_TEST_SUITE_P(
    Dates, Labels,
    ::testing::Values(
        Case{"1987-11-30", {"1987-11-30", "1987-11-30 10:15:00"}, {"1987-11-29", "1987"}, 1},
        Case{"1987-11", {"1987-11-01", "1987-11-30", "1987-11-30T09:00"}, {"1987-12-01"}, 30},
        Case{"1988-02", {"1988-02-29"}, {"1988-03-01"}, 29},
        Case{"1987-Q4", {"1987-10-01", "1987-12-31"}, {"1987-09-30", "1988-01-01"}, 92},
        Case{"1987", {"1987-01-01", "1987-12-31", "1987"}, {"1988-01-01"}, 1},
        Case{"1980-1989", {"1980-01-01", "1989-12-31", "1985"}, {"1979-12-31", "1990-01-01"}, 10},
        Case{"[2020-01-01, 2020-02-01[", {"2020-01-31"}, {"2020-02-01", "2019-12-31"}, 31},
        Case{"<2020-01-01", {"2019-12-31"}, {"2020-01-01", "2019"}, {}}));

INSTANTIATE_TEST_SUITE_P(
    Texts, Labels,
    ::testing::Values(Case{"*", {"anything", "7"}, {}, {}}, Case{"*****", {"02139"}, {}, {}},
                      Case{"", {"missing or suppressed"}, {}, {}},
                      Case{"021**", {"02139", "02199"}, {"02239", "0213", "021399"}, {}},
                      Case{"**139", {"02139"}, {"02138", "139"}, {}},
                      Case{"Z*r**", {"Zürçh"}, {"Zarah2"}, {}},
                      Case{"E11*", {"E11.9", "E11"}, {"E12", "E1"}, {}},
                      Case{"2*", {"20", "29"}, {"30"}, {}}, Case{"*139", {"02139"}, {"02138"}, {}},
                      Case{"Asia .. Europe", {"Chad"}, {"France"}, {}},
                      Case{"S .. M", {"L"}, {}, {}},
                      Case{"{Asia, Europe}", {"Asia", "Europe"}, {"Africa", "Asia,Europe"}, 2},
                      Case{"{broken, arm, flu}", {"broken, arm", "flu"}, {"cold"}, 3},
                      Case{"Never-married", {"Never-married"}, {"Married"}, 1},
                      Case{"1987-13", {}, {"1987-12-01"}, 1}));

TEST(GeneralizedValue, WordsOfATaxonomyAreTheLeavesBelow) {
  const auto sizes = anonymize::Hierarchy::create(
      {{"S", "S .. M", "*"}, {"M", "S .. M", "*"}, {"L", "L .. XL", "*"}, {"XL", "L .. XL", "*"}},
      "size");
  ASSERT_TRUE(sizes);
  const auto labels = GeneralizedValue::read({"S .. M", "M", "*", "{S, L}"}, *sizes);
  EXPECT_TRUE(labels[0].agrees(ExactValue("S")));
  EXPECT_FALSE(labels[0].agrees(ExactValue("L")));
  EXPECT_EQ(labels[0].candidates(), 2);
  EXPECT_TRUE(labels[1].agrees(ExactValue("M")));
  EXPECT_FALSE(labels[1].agrees(ExactValue("S")));
  EXPECT_TRUE(labels[2].is_everything());
  EXPECT_TRUE(labels[3].agrees(ExactValue("L"))) << "a label of another making";
}

TEST(GeneralizedValue, SaysWhetherItIsTheValueItself) {
  EXPECT_TRUE(GeneralizedValue("Never-married").is_literal());
  EXPECT_FALSE(GeneralizedValue("39").is_literal());  // 39.0 is the same
  EXPECT_FALSE(GeneralizedValue("*").is_literal());
}

}  // namespace
}  // namespace tacit::attacks

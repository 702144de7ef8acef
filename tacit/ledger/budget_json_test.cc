#include <gtest/gtest.h>

#include <string>

#include "tacit/ledger/budget.h"

namespace tacit {
namespace {

Rational rational(std::string_view text) { return Rational::parse(text).value(); }

TEST(BudgetJson, RoundTripsAndRefusesTheRest) {
  for (const Budget& budget :
       {Budget::pure(rational("1/3")).value(), Budget::approximate(1, rational("1e-6")).value(),
        Budget::with_curve(8, rational("1e-9"), 0, {{1.5, 100}, {2.25, 7}, {64, 6}}).value()}) {
    EXPECT_EQ(Budget::from_json(budget.to_json()).value(), budget) << budget.to_json();
  }
  for (const char* text :
       {"", "{}", "[]", "1", R"({"epsilon":1})", R"({"epsilon":"x"})", R"({"epsilon":"-1"})",
        R"({"epsilon":"1","delta":"0.1"})",
        R"({"epsilon":"1","delta":"0.1","delta_reserve":"0.1","curve":[["2","1"]]})",
        R"({"epsilon":"1","delta":"0.1","delta_reserve":"0","curve":[]})",
        R"({"epsilon":"1","delta":"0.1","delta_reserve":"0","curve":[["1","1"]]})",
        R"({"epsilon":"1","delta":"0.1","delta_reserve":"0","curve":[["2","0"]]})",
        R"({"epsilon":"1","delta":"0.1","delta_reserve":"0","curve":[["nan","1"]]})",
        R"({"epsilon":"1","delta":"0.1","delta_reserve":"0","curve":[["2",1]]})"}) {
    EXPECT_FALSE(Budget::from_json(text)) << text;
  }
}

TEST(BudgetJson, AnUntrueCurveIsReadButFound) {
  const auto boast = Budget::from_json(
      R"({"epsilon":"1","delta":"0.000001","delta_reserve":"0","curve":[["2","1000"]]})");
  ASSERT_TRUE(boast);
  EXPECT_FALSE(boast->keeps_its_promise());
}

}  // namespace
}  // namespace tacit

#pragma once

#include <gtest/gtest.h>

#include <string>

#include "tacit/sql/ask.h"
#include "tacit/sql/testing/asking.h"

namespace tacit::sql {

// 300 rows of 100 people in an engine, an account for them, and questions.
class ClinicTest : public AskingTest {
 protected:
  ClinicTest() : AskingTest("clinic") {}

  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(open_account(Budget::pure(2)));
    ASSERT_TRUE(
        engine_->execute("CREATE TABLE visits AS SELECT i % 100 AS person, i % 4 AS hour, "
                         "i % 50 AS minutes FROM range(300) AS r(i)"));
    schema_.tables.push_back({.name = "visits",
                              .source = "visits",
                              .unit = {.kind = Unit::Kind::kColumns, .columns = {"person"}},
                              .columns = {{"person", kIntegerType},
                                          {"hour", kIntegerType, Rational(0), Rational(3)},
                                          {"minutes", kIntegerType, Rational(0), Rational(60)}}});
  }

  QueryPlan plan(const std::string& text, const char* epsilon = "0.5") {
    PlanOptions options{.epsilon = *Rational::parse(epsilon)};
    options.bounds = {.groups = 4, .rows_per_group = 3};
    auto made = prepare(text, schema_, options, *embedded_);
    EXPECT_TRUE(made) << made.error().message();
    return *std::move(made);
  }
  Result<Asked> ask(const std::string& text, bool fresh = false) {
    return sql::ask(plan(text),
                    {.account = {.dataset = "clinic"}, .who = "ana", .note = text, .fresh = fresh},
                    *ledger_, *engine_, *embedded_);
  }
};

}  // namespace tacit::sql

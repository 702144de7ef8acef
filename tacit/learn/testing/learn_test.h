#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "tacit/learn/answers.h"
#include "tacit/sql/testing/asking.h"

namespace tacit::learn {

// A table of rows in an engine, an account for them, and a place where models are made.
class LearnTest : public sql::AskingTest {
 protected:
  LearnTest() : AskingTest("town") {}

  void SetUp() override { open_account(budget_); }

  // A table `people` made by a SELECT, each of its rows a unit, and its columns.
  void create(const std::string& select, std::vector<Column> columns,
              Unit unit = {.kind = Unit::Kind::kRow}) {
    const auto created = engine_->execute("CREATE TABLE people AS " + select);
    ASSERT_TRUE(created) << created.error().message();
    schema_.tables.push_back({.name = "people",
                              .source = "people",
                              .unit = std::move(unit),
                              .columns = std::move(columns)});
  }

  static Column real(const std::string& name, std::int64_t lower, std::int64_t upper) {
    return {.name = name, .type = kRealType, .lower = Rational(lower), .upper = Rational(upper)};
  }

  Place place() { return {schema_, *ledger_, *engine_, *embedded_}; }
  static sql::Asker asker(bool fresh = false) {
    return {.account = {.dataset = "town"}, .who = "ana", .note = "a model", .fresh = fresh};
  }

  Result<Budget> budget_ = Budget::pure(1'000'000);  // a test may want another
};

}  // namespace tacit::learn

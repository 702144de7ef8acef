#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "tacit/learn/answers.h"
#include "tacit/ledger/sqlite/sqlite_store.h"
#include "tacit/ledger/testing/scratch.h"

namespace tacit::learn {

// A table of rows in an engine, an account for them, and a place where models are made.
class LearnTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(engine_ && embedded_ && ledger_ && budget_);
    ASSERT_TRUE(ledger_->create_dataset({.dataset = "town", .budget = *budget_}));
  }

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
  std::uint64_t entries() { return ledger_->head()->sequence; }
  double spent() {
    return ledger_->account({.dataset = "town"})
        ->spent()
        ->divergences.front()
        .to_rational()
        .approximate();
  }

  Result<Budget> budget_ = Budget::pure(1'000'000);  // a test may want another
  Result<Engine> engine_ = Engine::duckdb_in_memory(Engine::Files::kAllowed);
  Result<Engine> embedded_ = Engine::duckdb_in_memory(Engine::Files::kRefused);
  Scratch scratch_;
  Result<Ledger> ledger_ =
      Ledger::create(*create_sqlite_store(scratch_ / "ledger.sqlite"), "steward");
  Schema schema_{.dataset = "town"};
};

}  // namespace tacit::learn

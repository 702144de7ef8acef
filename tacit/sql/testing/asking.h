#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "tacit/data/engine.h"
#include "tacit/data/schema.h"
#include "tacit/ledger/ledger.h"
#include "tacit/ledger/sqlite/sqlite_store.h"
#include "tacit/ledger/testing/scratch.h"

namespace tacit::sql {

// An engine for rows, one that is embedded, a ledger, and the schema of a dataset without tables.
class AskingTest : public ::testing::Test {
 protected:
  explicit AskingTest(std::string dataset) : schema_{.dataset = std::move(dataset)} {}

  // An account of the dataset; for SetUp().
  void open_account(const Result<Budget>& budget) {
    ASSERT_TRUE(engine_ && embedded_ && ledger_ && budget);
    ASSERT_TRUE(ledger_->create_dataset({.dataset = schema_.dataset, .budget = *budget}));
  }

  std::uint64_t entries() { return ledger_->head()->sequence; }
  // Of the account's epsilon.
  double spent() {
    return ledger_->account({.dataset = schema_.dataset})
        ->spent()
        ->divergences.front()
        .to_rational()
        .approximate();
  }

  Result<Engine> engine_ = Engine::duckdb_in_memory(Engine::Files::kAllowed);
  Result<Engine> embedded_ = Engine::duckdb_in_memory(Engine::Files::kRefused);
  Scratch scratch_;
  Result<Ledger> ledger_ =
      Ledger::create(*create_sqlite_store(scratch_ / "ledger.sqlite"), "steward");
  Schema schema_;
};

}  // namespace tacit::sql

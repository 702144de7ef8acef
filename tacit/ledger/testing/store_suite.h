#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tacit/ledger/store.h"

// What every store promises (store.h), as tests: store_suite_test.cc. A store's own test file
// instantiates them:
//
//   INSTANTIATE_TEST_SUITE_P(Sqlite, StoreSuite, testing::Values(StoreUnderTest{"sqlite", ...}));
namespace tacit {

// One place where a store can be made once and opened many times.
class StorePlace {
 public:
  StorePlace() = default;
  StorePlace(const StorePlace&) = delete;
  StorePlace& operator=(const StorePlace&) = delete;
  virtual ~StorePlace() = default;
  virtual Result<std::unique_ptr<Store>> create() = 0;
  virtual Result<std::unique_ptr<Store>> open() = 0;
  // Runs SQL as a person with the database's own shell would; true where it was allowed.
  virtual bool run_by_hand(const std::string& sql) = 0;
};

struct StoreUnderTest {
  std::string name;
  // A fresh, empty place; nullptr where this machine cannot have one, and the test is skipped.
  std::function<std::unique_ptr<StorePlace>()> place;
};

class StoreSuite : public testing::TestWithParam<StoreUnderTest> {
 protected:
  void SetUp() override {
    place_ = GetParam().place();
    if (place_ == nullptr) GTEST_SKIP() << GetParam().name << " is not available here";
    auto store = place_->create();
    ASSERT_TRUE(store) << store.error().message();
    store_ = *std::move(store);
  }

  static StoredEntry entry(std::uint64_t sequence, const std::string& body = "{}") {
    return {.sequence = sequence, .body = body, .digest = Digest::of(body), .signature = {}};
  }

  static void append(Store& store, std::vector<StoredEntry> entries) {
    auto transaction = store.begin();
    ASSERT_TRUE(transaction) << transaction.error().message();
    const auto appended = (*transaction)->append(entries);
    ASSERT_TRUE(appended) << appended.error().message();
    const auto committed = (*transaction)->commit();
    ASSERT_TRUE(committed) << committed.error().message();
  }

  static StoredCheckpoint checkpoint(std::uint64_t sequence, const std::string& body) {
    return {.sequence = sequence, .body = body, .digest = Digest::of(body)};
  }
  static StoredRelease release(std::uint64_t sequence, const std::string& question,
                               const std::string& body) {
    return {.sequence = sequence,
            .dataset = "visits",
            .fingerprint = Digest::of(question),
            .body = body,
            .digest = Digest::of(body)};
  }
  template <class Thing>
  static Result<void> append_one(Store& store, const Thing& thing) {
    TACIT_ASSIGN_OR_RETURN(const auto transaction, store.begin());
    TACIT_RETURN_IF_ERROR(transaction->append(thing));
    return transaction->commit();
  }

  std::unique_ptr<Store> reopen() {
    auto store = place_->open();
    EXPECT_TRUE(store) << store.error().message();
    return store ? *std::move(store) : nullptr;
  }

  std::unique_ptr<StorePlace> place_;
  std::unique_ptr<Store> store_;
};

}  // namespace tacit

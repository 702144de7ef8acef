#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tacit/base/error.h"
#include "tacit/ledger/digest.h"
#include "tacit/ledger/signing_key.h"

namespace tacit {

// A ledger entry as a store holds it. A store keeps what it is given and looks into nothing: the
// ledger checks every byte it reads back.
struct StoredEntry {
  std::uint64_t sequence = 0;  // 1, 2, 3, ... without gaps
  std::string body;            // canonical JSON; holds the digest of the body before
  Digest digest;               // of the body
  std::optional<Signature> signature;
  bool operator==(const StoredEntry&) const = default;
};

// The last entry. An empty store has sequence 0 and a digest of zeros.
struct Head {
  std::uint64_t sequence = 0;
  Digest digest;
  bool operator==(const Head&) const = default;
};

// Durable, append-only entries, shared by many processes. What every store promises, store_suite.h
// tests:
//
//  - One writer at a time. From begin() until the transaction ends no other transaction of any
//    process has begun. begin() waits for its turn a bounded time (kWait), then fails.
//  - commit() returns success only after the entries would survive a loss of power. Where it fails
//    nothing is known: the entries may be there or not. The caller must not count on either, and
//    grants nothing.
//  - All entries of a transaction become visible, or none.
//  - Entries are never changed or removed; the store itself refuses to.
//  - What cannot be read back as it was written is an error of kind kWorld. A store written by a
//    newer version is refused with kBadInput and left as it is.
//
// A Store and its Transactions belong to one thread at a time; Ledger sees to that. At most one
// transaction of a Store is open at a time. A Store must not be used across fork().
class Store {
 public:
  // Ended by commit(), or by the destructor, which rolls back.
  class Transaction {
   public:
    Transaction() = default;
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    virtual ~Transaction() = default;

    // The last entry, under the lock.
    [[nodiscard]] virtual Result<Head> head() = 0;
    // Up to `limit` entries that follow sequence `after`, ascending.
    [[nodiscard]] virtual Result<std::vector<StoredEntry>> read(std::uint64_t after,
                                                                std::size_t limit) = 0;
    // Adds entries; the first must follow the head, the rest each other.
    [[nodiscard]] virtual Result<void> append(std::span<const StoredEntry> entries) = 0;
    // Call at most once; afterwards only the destructor may follow.
    [[nodiscard]] virtual Result<void> commit() = 0;
  };

  // The format of the store and the log; a higher one is refused.
  static constexpr int kFormat = 1;
  // How long begin() waits for other writers.
  static constexpr int kWaitMilliseconds = 60'000;

  Store() = default;
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;
  virtual ~Store() = default;

  [[nodiscard]] virtual Result<std::unique_ptr<Transaction>> begin() = 0;

  // Reading without a transaction: what is committed at the time of the call. Does not wait for
  // writers longer than kWait.
  [[nodiscard]] virtual Result<Head> head() = 0;
  [[nodiscard]] virtual Result<std::vector<StoredEntry>> read(std::uint64_t after,
                                                              std::size_t limit) = 0;

  // Where the entries are, for error messages: a path, or a URI without its password.
  [[nodiscard]] virtual std::string place() const = 0;
};

}  // namespace tacit

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

// The state of all accounts after an entry, so that a reader need not begin with entry 1. It says
// nothing that the entries do not: one that is lost or damaged costs time only.
struct StoredCheckpoint {
  std::uint64_t sequence = 0;  // of the entry
  std::string body;
  Digest digest;  // of the body
  bool operator==(const StoredCheckpoint&) const = default;
};

// What was released on an entry, under a fingerprint of what was asked.
struct StoredRelease {
  std::uint64_t sequence = 0;  // of the entry that paid
  std::string dataset;
  Digest fingerprint;
  std::string body;
  Digest digest;  // of all of the above, and of the entry: the ledger's business
  bool operator==(const StoredRelease&) const = default;
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
//  - Entries, checkpoints and releases are never changed or removed; the store itself refuses to.
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
    // Adds a checkpoint of the last entry.
    [[nodiscard]] virtual Result<void> append(const StoredCheckpoint& checkpoint) = 0;
    // Adds a release. Refuses a second one of the same entry, dataset and fingerprint.
    [[nodiscard]] virtual Result<void> append(const StoredRelease& release) = 0;
    // The checkpoint with the highest sequence.
    [[nodiscard]] virtual Result<std::optional<StoredCheckpoint>> last_checkpoint() = 0;
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

  [[nodiscard]] virtual Result<std::optional<StoredCheckpoint>> last_checkpoint() = 0;
  // The release of the highest sequence under this fingerprint.
  [[nodiscard]] virtual Result<std::optional<StoredRelease>> last_release(
      const std::string& dataset, const Digest& fingerprint) = 0;

  // Looks through the whole store for damage that its own structure shows. Opening looks only where
  // a new entry will land, so that its time does not grow with the log.
  [[nodiscard]] virtual Result<void> check_whole() = 0;

  // Where the entries are, for error messages: a path, or a URI without its password.
  [[nodiscard]] virtual std::string place() const = 0;
};

}  // namespace tacit

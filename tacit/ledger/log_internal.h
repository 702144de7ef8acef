#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tacit/base/error.h"
#include "tacit/ledger/book_internal.h"
#include "tacit/ledger/entry.h"
#include "tacit/ledger/signing_key.h"
#include "tacit/ledger/store.h"
#include "tacit/random/secure_stream.h"

namespace tacit {

// The log of one store, kept in step with a book, shared by threads. Appends that wait at the same
// time share a transaction; one lingers for the others for a moment where there were others before.
class Log {
 public:
  // A commit that reaches or passes a multiple of this writes a checkpoint.
  static constexpr std::uint64_t kEntriesPerCheckpoint = 512;

  // Makes the event of an entry from the book as it stands under the store's lock, or refuses.
  using Decide = std::function<Result<entry::Event>(const Book&)>;

  struct Draft {
    AccountId account;
    std::string who;
    std::string note;
    Decide decide;
  };

  Log(std::unique_ptr<Store> store, std::optional<SigningKey> key,
      std::function<std::chrono::sys_seconds()> clock, SecureStream nonces);

  // Returns the entry's place after it is durable.
  Result<Head> append(const Draft& draft);

  // Puts a release on record, durably. Does not touch the entries.
  Result<void> record(const StoredRelease& release);

  // Runs `look` on a book that has all that was committed when it was called.
  template <class Look>
  auto read(Look look) -> std::invoke_result_t<Look, const Book&, Store&> {
    const Turn turn(*this);
    if (const auto current = catch_up(*store_); !current) {
      return std::unexpected(current.error());
    }
    return look(book_, *store_);
  }

 private:
  struct Waiting {
    const Draft* draft;
    std::optional<Result<Head>> outcome;
  };
  // The right to use store_ and book_: one thread has it at a time.
  class Turn {
   public:
    explicit Turn(Log& log);
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn();

   private:
    Log& log_;
  };

  Result<void> check_may_write() const;
  // Begins an empty book with the last checkpoint that holds against the log; leaves it empty where
  // there is none, and all is replayed.
  template <class Source>
  Result<void> begin_from_checkpoint(Source& source);
  // Replays what the book has not seen. `source` is the store, or a transaction of it.
  template <class Source>
  Result<void> catch_up(Source& source);
  // One transaction for the batch; an outcome for each of it, in its order.
  std::vector<Result<Head>> commit(const std::vector<Waiting*>& batch);
  Result<void> commit_together(const std::vector<Waiting*>& batch,
                               std::vector<Result<Head>>& outcomes);
  // Decides, writes and signs the entry, and takes it into the book.
  Result<StoredEntry> write(const Draft& draft);

  const std::unique_ptr<Store> store_;
  const std::optional<SigningKey> key_;
  const std::function<std::chrono::sys_seconds()> clock_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::condition_variable arrived_;
  // Guarded by mutex_.
  std::vector<Waiting*> queue_;
  std::size_t company_ = 1;                       // how many threads are expected to wait at once
  std::chrono::steady_clock::duration linger_{};  // for how long to expect them
  bool taken_ = false;
  // Guarded by the turn.
  SecureStream nonces_;
  Book book_;
};

}  // namespace tacit

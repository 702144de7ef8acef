#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "tacit/base/error.h"
#include "tacit/ledger/account.h"
#include "tacit/ledger/entry.h"
#include "tacit/ledger/store.h"

namespace tacit {

// The state that a log describes: every account, and the head of the chain. It changes only by
// entries, so that whoever replays the same log has the same book. Touches no store.
class Book {
 public:
  // An error of an entry that does not follow from those before it is of kind kWorld.
  //
  // Checks digest, sequence, chain and every rule of the ledger, and recomputes the balances that
  // the entry states. Leaves the book as it was where it fails. Signatures are for verify.
  Result<Entry> replay(const StoredEntry& stored);

  // The book as a checkpoint keeps it, in one canonical text (docs/ledger-format.md).
  [[nodiscard]] std::string to_json() const;
  // Reads such a text, and believes it: whoever calls has checked its digest.
  static Result<Book> from_json(std::string_view text);

  // Takes an entry that this book itself made the event of; `digest` is that of its text.
  void apply(const Entry& entry, const Digest& digest);

  // Events for requests, or the reason for refusal. Do not change the book.
  [[nodiscard]] Result<entry::Event> new_dataset(std::string_view dataset,
                                                 entry::NewDataset event) const;
  [[nodiscard]] Result<entry::Event> new_analyst(const AccountId& id,
                                                 entry::NewAnalyst event) const;
  [[nodiscard]] Result<entry::Event> grant(const AccountId& id, const Rational& epsilon,
                                           const Rational& delta) const;
  // `charge` without its postings; `prices` are the charges of accounts_of(id), in that order.
  [[nodiscard]] Result<entry::Event> charge(const AccountId& id, entry::Charge charge,
                                            const std::vector<Spend>& prices) const;
  [[nodiscard]] Result<entry::Event> none_proved(const AccountId& id,
                                                 entry::NoneProved event) const;

  [[nodiscard]] const Head& head() const { return head_; }
  // The key that signs the log, where one does.
  [[nodiscard]] const std::optional<PublicKey>& key() const { return key_; }
  [[nodiscard]] const std::map<AccountId, Account>& accounts() const { return accounts_; }
  // Refuses an unknown name and lists those there are.
  [[nodiscard]] Result<Account> account(const AccountId& id) const;
  // The accounts that a charge to `id` lands in: the dataset's, then the analyst's if it names one.
  [[nodiscard]] Result<std::vector<Account>> accounts_of(const AccountId& id) const;
  // Sequences of releases of a dataset for which nothing was proved.
  [[nodiscard]] std::vector<std::uint64_t> none_proved_of(const std::string& dataset) const;

 private:
  // Whether the event follows from the book by the rules; what replay asks of foreign entries.
  [[nodiscard]] Result<void> check(const Entry& entry) const;
  [[nodiscard]] Result<void> check_release(const AccountId& id, std::string_view part,
                                           const Cost& cost) const;

  Head head_;
  std::optional<PublicKey> key_;
  std::map<AccountId, Account> accounts_;
  std::map<std::string, std::vector<std::uint64_t>> none_proved_;
};

}  // namespace tacit

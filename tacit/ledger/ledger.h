#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tacit/base/error.h"
#include "tacit/ledger/account.h"
#include "tacit/ledger/budget.h"
#include "tacit/ledger/digest.h"
#include "tacit/ledger/entry.h"
#include "tacit/ledger/signing_key.h"
#include "tacit/ledger/store.h"
#include "tacit/privacy/cost.h"
#include "tacit/privacy/permit.h"

namespace tacit {

// The privacy ledger: who may still learn how much about a dataset, and what was already released.
//
//   TACIT_ASSIGN_OR_RETURN(auto store, open_sqlite_store("ledger.sqlite"));
//   TACIT_ASSIGN_OR_RETURN(auto ledger, Ledger::open(std::move(store)));
//   TACIT_ASSIGN_OR_RETURN(auto id, AccountId::parse("visits/alice"));
//   TACIT_ASSIGN_OR_RETURN(Permit permit, ledger.reserve({.account = id, .cost = plan.cost()}));
//
// What it promises:
//
//  - Everything granted from an account, in whatever order, by whatever adaptive choice, by however
//    many processes and with interactive permits interleaved, is together (epsilon, delta)-DP for
//    the account's budget. The proof is in proof.md.
//  - A permit exists only after its charge is durable. A crash, a kill, a full disk or a lost
//    connection may waste budget, never create it. Nothing is ever refunded or reset.
//  - Every change is an entry of an append-only log, chained by SHA-256. The state of all accounts
//    is what replaying the log gives, and nothing else. A log that does not replay is refused.
//
// All methods may be called from several threads at once. Reservations that arrive together are
// made durable together (group commit): one transaction pays for all that wait, and each fits or is
// refused for itself, in the order of arrival. Several processes may open the same store. A Ledger
// must not be used across fork(): open it again in the child.
//
// Errors: kBudget where an account does not allow it; kBadInput for an unknown account or part, a
// cost under another neighbour relation, or one that cannot be priced in an account's currency;
// kWorld where the store failed or its content is damaged. In each case nothing was granted. After
// kWorld a charge may have been made all the same.
class Ledger {
 public:
  using Clock = std::function<std::chrono::sys_seconds()>;

  struct Options {
    // Signs every entry. A ledger begun with a key takes entries only from holders of that key; it
    // can be read without.
    std::optional<SigningKey> key;
    // For the time written into entries; the system's where empty.
    Clock clock;
  };

  // Begins a new ledger in an empty store. Refuses a store that has entries.
  static Result<Ledger> create(std::unique_ptr<Store> store, std::string who, Options options = {});
  // Opens the ledger in `store` and replays its log. Refuses one that is damaged.
  static Result<Ledger> open(std::unique_ptr<Store> store, Options options = {});

  Ledger(Ledger&&) noexcept;
  Ledger& operator=(Ledger&&) noexcept;
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;
  ~Ledger();

  // --- The steward's part. `who` is the person's name as the caller knows it, `note` a remark;
  // --- both are written into the log and are never secret: UTF-8 of at most 4096 bytes for
  // --- `who`, 65536 for `note`.

  // Opens the account of a dataset. Parts are declared here, once: which part a unit belongs to
  // must be a public function of the unit alone, fixed before data is seen. Under replace
  // neighbours the number of units in a part is not public (a replaced unit may change part), so a
  // cost charged against a part must hold for its mechanism read as a function of the whole
  // dataset.
  struct NewDataset {
    std::string dataset;
    Neighbours neighbours = Neighbours::kAddRemove;
    Budget budget;
    std::vector<std::string> parts;
    std::string who;
    std::string note;
  };
  Result<Head> create_dataset(const NewDataset& request);

  // Opens an analyst's account inside a dataset's. Its budget may be larger than the dataset's, or
  // in another currency: a reservation must fit both.
  struct NewAnalyst {
    AccountId account;
    Budget budget;
    std::string who;
    std::string note;
  };
  Result<Head> create_analyst(const NewAnalyst& request);

  // Raises a cap (see Budget::raised_to). What is spent stays spent. The guarantee is then that of
  // the highest cap the steward would ever have granted: a cap raised because of what answers
  // showed is a promise made late.
  struct Grant {
    AccountId account;
    Rational epsilon;
    Rational delta;
    std::string who;
    std::string note;
  };
  Result<Head> grant(const Grant& request);

  // --- Paying.

  struct Request {
    // "visits/alice" charges the analyst and the dataset; "visits" the dataset alone.
    AccountId account;
    // The part of the dataset that is read; empty for the whole.
    std::string part;
    Cost cost;
    std::string who;
    // What was asked: the query, the model.
    std::string note;
    // A digest of what was asked in its bound form, with all that decides the answer's law; see
    // record_release.
    std::optional<Digest> fingerprint;
    // The steward's word that a release without a guarantee may be made. Needed where the cost is
    // cost::NoneProved, which is entered without a charge; a tree that holds such a leaf among
    // others is refused, for its other leaves must be paid.
    bool accept_none_proved = false;
  };

  // Charges `cost` to every account it touches, or to none, and returns after that is durable.
  Result<Permit> reserve(const Request& request);

  // Enters a release that was made outside Tacit. Refuses what does not fit, unless `beyond_cap`:
  // then it is entered all the same, for it has happened, and the account grants nothing more until
  // its cap is raised above what is spent.
  Result<Head> charge(const Request& request, bool beyond_cap = false);

  // --- Releases on record. Asking the same again must not average the noise away: what was
  // --- released before is given again, at no cost, for it tells nothing new.

  struct NewRelease {
    // Permit::entry() of the permit that paid.
    std::string entry;
    // What find_release will be asked for. Where the entry names a fingerprint, it must be this.
    Digest fingerprint;
    // The release as it left; 64 MiB at most.
    std::string bytes;
  };
  // Keeps a release, durably, under the dataset of the entry that paid and its fingerprint. Call it
  // after execution and before the release is shown. What a crash keeps from being recorded is not
  // found later: it was paid for all the same. Nothing is ever replaced; entries are not touched.
  Result<void> record_release(const NewRelease& release);

  struct RecordedRelease {
    // Who paid for it, when, what was asked and what it cost.
    Entry entry;
    Head paid;
    std::string bytes;
  };
  // The newest release on record under a fingerprint, whoever asked; nothing where there is none.
  // An error of kind kWorld where it is damaged, or not bound to an entry of this log.
  Result<std::optional<RecordedRelease>> find_release(const std::string& dataset,
                                                      const Digest& fingerprint);

  // --- Reading: what is committed now, by any process.

  // All accounts, by name.
  Result<std::vector<Account>> accounts();
  Result<Account> account(const AccountId& id);
  // The last entry. Keep its digest elsewhere: verify then finds a log cut short or replaced.
  Result<Head> head();
  // Entries with from <= sequence, oldest first, `limit` at most.
  Result<std::vector<Entry>> history(std::uint64_t from = 1, std::size_t limit = SIZE_MAX);
  // Releases of a dataset for which no guarantee was proved. Every report of the dataset names
  // them.
  Result<std::vector<Entry>> none_proved(const std::string& dataset);

  struct Verified {
    Head head;
    // Who signed, where the ledger is signed.
    std::optional<PublicKey> key;
    // Entries for which this version's accountants would charge more than was charged.
    std::vector<std::uint64_t> underpriced;
  };
  struct Expected {
    // A digest noted earlier: it must be that of some entry. Not so where the log was cut short,
    // restored from an older copy, or written anew.
    std::optional<Digest> head;
    // The key the log must be signed with.
    std::optional<PublicKey> key;
  };
  // Reads the whole log and recomputes every digest, signature, price and balance. An error of kind
  // kWorld names the first bad entry. Needs no opened ledger: it works on one that open refuses.
  static Result<Verified> verify(Store& store, const Expected& expected = {});

 private:
  class State;
  explicit Ledger(std::unique_ptr<State> state);

  static Permit mint(const Cost& cost, const Head& entry);

  std::unique_ptr<State> state_;
};

}  // namespace tacit

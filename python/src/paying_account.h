#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "tacit/base/error.h"
#include "tacit/ledger/ledger.h"
#include "tacit/ledger/run_permit.h"

namespace tacit::python {

// The ledger that pays for what is learnt from data in Python's hands, and the account in it.
class PayingAccount {
 public:
  // `who` is written into the ledger. Of a workspace: "DATASET" or "DATASET/ANALYST".
  static Result<PayingAccount> of_workspace(const std::string& place, const std::string& account,
                                            std::string who);
  // An account in a ledger that belongs to no workspace; both are begun where there are none. The
  // cap of a new account is the least of a few multiples of `epsilon` that `cost` fits: the ledger
  // adds up by a Rényi filter, which asks for more than one run alone is proved to cost.
  struct OwnAccount {
    std::filesystem::path file;
    std::string name;
    double epsilon = 0;
    double delta = 0;
    Cost cost;
    std::string note;
  };
  static Result<PayingAccount> in_file(const OwnAccount& account, std::string who);

  // Charges a run, or refuses and charges nothing. Under an `id` a run that was charged before goes
  // on, and costs nothing more; without one it ends with this process. The account must outlive it.
  struct Run {
    Cost cost;
    std::string note;
    std::optional<std::string> id;
    RunTerms terms;
    std::uint64_t steps_a_claim = RunPermit::Options().steps_a_claim;
  };
  Result<RunPermit> reserve(const Run& run);
  // Charges what is done once, within this process.
  Result<Permit> reserve_once(Cost cost, const std::string& note);
  // Whether that very run was charged before.
  bool has_paid(const Run& run);
  // Refuses what would not fit now: before the first of several charges.
  Result<void> check_room(const Cost& cost);

  [[nodiscard]] const AccountId& id() const { return account_; }
  [[nodiscard]] const std::string& who() const { return who_; }
  [[nodiscard]] std::string name() const { return account_.to_string(); }
  Ledger& ledger() { return ledger_; }

 private:
  [[nodiscard]] Ledger::Request request(Cost cost, const std::string& note) const;
  PayingAccount(Ledger ledger, AccountId account, std::string who)
      : ledger_(std::move(ledger)), account_(std::move(account)), who_(std::move(who)) {}

  Ledger ledger_;
  AccountId account_;
  std::string who_;
};

}  // namespace tacit::python

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tacit/base/error.h"
#include "tacit/ledger/ledger.h"
#include "tacit/privacy/cost.h"
#include "tacit/privacy/permit.h"

namespace tacit {

// What a run is bound to beside its cost, as names and values in the order in which they are told:
// {{"clip", "flat 1"}, {"examples", "60000"}}. Public. Neither holds a semicolon; names hold no
// '='.
using RunTerms = std::vector<std::pair<std::string, std::string>>;

// The permit of a run: many steps, paid for together by one entry of a ledger, and made over days
// by one process after another.
//
//   TACIT_ASSIGN_OR_RETURN(const std::string id, RunPermit::new_id());
//   TACIT_ASSIGN_OR_RETURN(auto permit, RunPermit::reserve(ledger, request, id, terms, {}));
//   while (permit.steps_left() > 0) {
//     TACIT_ASSIGN_OR_RETURN(Permit step, permit.next());     // durable before it returns
//     ...
//   }
//
// What it promises (proof.md, "Runs"):
//
//  - All steps are charged before the first. Nothing is refunded, and leftover steps serve only the
//    cost and terms that were reserved.
//  - Steps are claimed in blocks. A claim is a row that the ledger's store never changes or
//    removes, and the permits of its steps exist only after it is durable: whatever was killed, the
//    claimed steps are never fewer than those that touched data. A block that a crash interrupts
//    stays spent.
//  - No step is claimed twice. Where two processes go on with one run, the one that claims second
//    is refused; RunFolder keeps a second one from starting at all.
//
// The cost is a Repeat, or a Compose: its Repeats are then the steps, in order, and what stands
// beside them is paid for and needs no permit of its own.
//
// The ledger must outlive the permit. Not for use from two threads at once. May be moved.
class RunPermit {
 public:
  struct Options {
    // How many steps a claim takes: a crash wastes what is left of them, a commit is saved for each
    // but the first.
    std::uint64_t steps_a_claim = 16;
  };

  // 32 random hexadecimal digits. Make it durable before reserving, so that the entry is found
  // again after a crash.
  static Result<std::string> new_id();

  // Charges the whole of the request's cost. Refuses, before anything is charged, a request with a
  // fingerprint and a cost without steps.
  static Result<RunPermit> reserve(Ledger& ledger, Ledger::Request request, const std::string& id,
                                   const RunTerms& terms, Options options);
  // Goes on with a run after the last step that was claimed, at no further charge. Refuses a run
  // that is not in the ledger (nothing was charged for it), another account, cost or terms than it
  // was begun with, saying what differs.
  static Result<RunPermit> resume(Ledger& ledger, const Ledger::Request& request,
                                  const std::string& id, const RunTerms& terms, Options options);
  // Resumes a run that the ledger knows, and reserves one that it does not: what a process does
  // that finds the name of a run and not how far it got.
  static Result<RunPermit> reserve_or_resume(Ledger& ledger, const Ledger::Request& request,
                                             const std::string& id, const RunTerms& terms,
                                             Options options);
  // Of a run that ends with this process: its steps are counted in memory alone.
  static Result<RunPermit> of_process(Permit&& permit);

  // The entry that paid, as a certificate cites it.
  [[nodiscard]] const std::string& entry() const { return entry_; }
  [[nodiscard]] const Cost& cost() const { return cost_; }
  [[nodiscard]] std::uint64_t steps() const;
  // How many steps were handed out, or lost with a process: the place of the next one.
  [[nodiscard]] std::uint64_t position() const { return position_; }
  [[nodiscard]] std::uint64_t steps_left() const { return steps() - position_; }

  // The permit of the next step. Refuses after the last one, and where another process has gone on
  // with the run.
  Result<Permit> next();

 private:
  // Equal steps in a row.
  struct Group {
    std::uint64_t steps;
    Cost step;
  };

  RunPermit(Cost cost, std::string entry, std::vector<Group> groups, std::uint64_t steps_a_claim);

  static Result<std::vector<Group>> groups_of(const Cost& cost);
  // The group of the next step, and how many steps of it are left.
  [[nodiscard]] std::pair<const Group*, std::uint64_t> current() const;
  // Finds the claims of earlier processes.
  Result<void> find_position();
  // The permit of the steps up to block_end_, which it sets.
  Result<Permit> open_block();
  Result<Permit> claim_block();

  Cost cost_;
  std::string entry_;
  std::vector<Group> groups_;
  std::uint64_t steps_a_claim_;
  Ledger* ledger_ = nullptr;     // null where the process alone counts
  std::optional<Permit> whole_;  // of such a process
  std::string dataset_;
  std::string holder_;  // of this object's claims
  std::uint64_t claims_ = 0;
  std::uint64_t position_ = 0;
  std::optional<Permit> block_;  // of steps that are claimed
  std::uint64_t block_end_ = 0;
};

}  // namespace tacit

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tacit/base/error.h"
#include "tacit/privacy/cost.h"

namespace tacit {

// The right to make one release of a known cost. Only a ledger mints one, after the charge is
// durable (Ledger::reserve). It can be moved, never copied, and is consumed by the mechanism that
// runs. Dropping it wastes what was charged; nothing is refunded.
//
// Not safe for use from two threads at once; take() a part for each thread.
class Permit {
 public:
  Permit(Permit&& other) noexcept;
  Permit& operator=(Permit&& other) noexcept;
  Permit(const Permit&) = delete;
  Permit& operator=(const Permit&) = delete;
  ~Permit() = default;

  // What was charged and is not yet taken or consumed as a whole.
  [[nodiscard]] const Cost& cost() const { return cost_; }
  // The ledger entry that paid, as a certificate cites it.
  [[nodiscard]] const std::string& entry() const { return entry_; }
  [[nodiscard]] bool spent() const { return spent_; }

  // Splits off the permit for one part: a child of Compose or Parallel that was not taken yet, or
  // one repetition of Repeat. Refuses a part that is not there, or no longer.
  Result<Permit> take(const Cost& part);

  // What a mechanism calls first: refuses unless the permit is whole, unspent and for exactly this
  // cost. Afterwards the permit is spent.
  Result<void> consume(const Cost& cost) &&;

 private:
  friend class Ledger;
  friend class PermitForTests;

  Permit(Cost cost, std::string entry);

  Cost cost_;
  std::string entry_;
  bool spent_ = false;
  // For Compose and Parallel, which children are taken; for Repeat, one element that counts.
  std::vector<std::uint64_t> taken_;
};

}  // namespace tacit

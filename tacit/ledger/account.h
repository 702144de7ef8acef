#pragma once

#include <compare>
#include <string>
#include <string_view>
#include <vector>

#include "tacit/base/error.h"
#include "tacit/ledger/budget.h"
#include "tacit/privacy/cost.h"
#include "tacit/privacy/neighbours.h"

namespace tacit {

// Names an account: a dataset, or one analyst's share of it ("visits", "visits/alice").
struct AccountId {
  std::string dataset;
  std::string analyst;  // empty: the dataset itself

  // Names are 1 to 64 letters, digits, '_', '-' or '.', and begin with a letter or digit.
  static Result<AccountId> parse(std::string_view text);
  [[nodiscard]] std::string to_string() const;

  auto operator<=>(const AccountId&) const = default;
};

// Refuses what is no name of a dataset, an analyst or a part. `role` is the word used in the error.
Result<void> check_name(std::string_view name, std::string_view role);

// What was charged to an account, by where it landed: against the whole dataset, or against one of
// its parts. One line for each part, in the order in which the parts were declared.
struct Tally {
  Spend whole;
  std::vector<Spend> parts;

  // The most that any pair of neighbours can tell: the whole's charges, which reach every part,
  // and, order by order, those of the part charged most (add/remove neighbours: one unit lies in
  // one part) or of the two charged most (replace neighbours: a unit may move from one part to
  // another). A charge against the whole is counted once, for it covers the move. proof.md.
  [[nodiscard]] Result<Spend> total(Neighbours neighbours) const;

  bool operator==(const Tally&) const = default;
};

// An account as it stands after some entry. A value: it does not follow the ledger.
struct Account {
  AccountId id;
  Neighbours neighbours = Neighbours::kAddRemove;
  // The names of the dataset's parts; the same for each of its analysts.
  std::vector<std::string> parts;
  Budget budget;
  Tally tally;

  static constexpr std::size_t kWhole = static_cast<std::size_t>(-1);

  // The index of a part, or kWhole where `part` is empty. Refuses a part that was not declared.
  [[nodiscard]] Result<std::size_t> line(std::string_view part) const;
  // Refuses a cost that holds for other neighbours than the dataset is kept for.
  [[nodiscard]] Result<void> check_neighbours(const Cost& cost) const;
  // The tally after a charge on `line`.
  [[nodiscard]] Result<Tally> charged(std::size_t line, const Spend& charge) const;

  // In the account's own currency.
  [[nodiscard]] Result<Spend> spent() const { return tally.total(neighbours); }
  // What a further charge against the whole dataset may take. A part that was charged less than
  // the largest has more left than this.
  [[nodiscard]] Result<Spend> remaining() const;
};

}  // namespace tacit

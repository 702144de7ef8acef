#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tacit/base/error.h"
#include "tacit/base/rational.h"
#include "tacit/ledger/amount.h"
#include "tacit/privacy/cost.h"

namespace tacit {

// An amount of privacy in an account's own currency: a delta, and a bound on the Rényi divergence
// at each order the account tracks. A pure account tracks one order, infinity, where the divergence
// is epsilon; its delta is 0.
struct Spend {
  std::vector<Amount> divergences;
  Amount delta;

  // Order by order. Both sides must track the same orders.
  [[nodiscard]] Result<Spend> plus(const Spend& other) const;
  [[nodiscard]] Spend less(const Spend& other) const;
  // The larger of the two at each order, and of the deltas.
  [[nodiscard]] Spend largest(const Spend& other) const;
  // True where no order and not the delta is above `cap`.
  [[nodiscard]] bool fits(const Spend& cap) const;

  bool operator==(const Spend&) const = default;
};

// One point of a budget curve: the cap on the divergence at an order above 1.
struct CurvePoint {
  double order = 0;
  Rational cap;
  bool operator==(const CurvePoint&) const = default;
};

// A cap and the currency in which it is kept. Immutable; what it promises is proved in proof.md.
class Budget {
 public:
  // Everything granted together is epsilon-DP. Only costs with a pure bound can be paid from it.
  static Result<Budget> pure(const Rational& epsilon);

  // Everything granted together is (epsilon, delta)-DP, by a Rényi filter at one order. The order
  // is the one at which the largest zero-concentrated budget converts to (epsilon, delta), so that
  // Gaussian noise (and what resembles it: many small answers) can use all of it. One order is
  // tracked because one is all the proof needs and each further one could only refuse more.
  // `delta_reserve` is what requests that have a delta of their own may use; the rest pays for the
  // conversion. Default: half of delta.
  static Result<Budget> approximate(const Rational& epsilon, const Rational& delta,
                                    const std::optional<Rational>& delta_reserve = std::nullopt);

  // The same promise, tracked at orders of the steward's own: at each the largest cap that converts
  // to (epsilon, delta - delta_reserve). Requests must fit at every one.
  static Result<Budget> at_orders(const Rational& epsilon, const Rational& delta,
                                  const std::optional<Rational>& delta_reserve,
                                  const std::vector<double>& orders);

  // The same promise with a curve of the steward's own. Orders ascend; requests must fit at every
  // one. Refuses a curve of which no point converts to (epsilon, delta - delta_reserve).
  static Result<Budget> with_curve(const Rational& epsilon, const Rational& delta,
                                   const Rational& delta_reserve,
                                   const std::vector<CurvePoint>& curve);

  [[nodiscard]] bool is_pure() const { return orders_.empty(); }
  [[nodiscard]] const Rational& epsilon() const { return epsilon_; }
  [[nodiscard]] const Rational& delta() const { return delta_; }
  // What conversion from the curve to epsilon costs: delta less the reserve.
  [[nodiscard]] Rational conversion_delta() const;
  // Empty for a pure budget.
  [[nodiscard]] const std::vector<double>& orders() const { return orders_; }
  // The cap in the budget's own currency; its delta is the reserve.
  [[nodiscard]] const Spend& cap() const { return cap_; }
  [[nodiscard]] Spend zero() const;

  // What `cost` takes from an account under this budget, rounded up. Refuses (bad input) a cost of
  // which no bound in this currency is proved.
  [[nodiscard]] Result<Spend> price(const Cost& cost) const;

  // This budget raised to (epsilon, delta): the same currency (delta must be 0 for a pure budget),
  // the same orders, the same share of delta kept for the reserve, and a cap that is nowhere lower.
  // Curves of several points are multiplied by the one factor that the conversion allows.
  [[nodiscard]] Result<Budget> raised_to(const Rational& epsilon, const Rational& delta) const;

  // An epsilon for an account whose spend is `spent`, at the budget's conversion delta plus the
  // delta spent. For a pure budget it holds at any moment. For a curve it holds only where the
  // moment of looking was fixed in advance, not chosen after answers: show it with that label.
  [[nodiscard]] double epsilon_if_stopping_was_fixed(const Spend& spent) const;

  // True where some point of the curve converts to the promise, up to a rounding of 1e-9. The
  // factories let no other budget pass; verify asks it of budgets it reads.
  [[nodiscard]] bool keeps_its_promise() const;

  // docs/ledger-format.md is the contract. Reading does not ask keeps_its_promise().
  [[nodiscard]] std::string to_json() const;
  static Result<Budget> from_json(std::string_view text);
  // "epsilon 1", or "epsilon 1, delta 1e-06 (Rényi order 28 up to 0.53; delta reserve 5e-07)".
  [[nodiscard]] std::string to_text() const;

  bool operator==(const Budget&) const = default;

 private:
  Budget() = default;

  // Of a budget with a curve: all that the factories ask except that the promise is kept.
  [[nodiscard]] Result<void> check_shape() const;

  Rational epsilon_;
  Rational delta_;
  std::vector<double> orders_;
  Spend cap_;
};

}  // namespace tacit

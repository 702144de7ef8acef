#pragma once

#include <compare>
#include <string>
#include <string_view>

#include "tacit/base/error.h"
#include "tacit/base/int128.h"
#include "tacit/base/rational.h"

namespace tacit {

// What a ledger adds up: a decimal number of at least 0 with 30 places, held as an integer, so that
// ten charges of 0.1 fill a budget of 1 exactly and a delta of 1e-30 is not lost. The largest is
// 100 000 000; a sum beyond it is refused, never wrapped.
class Amount {
 public:
  static constexpr int kPlaces = 30;

  constexpr Amount() = default;

  // The smallest amount with at most `places` places that is not below `value`. Charges are rounded
  // up. Refuses a value that is negative or too large.
  static Result<Amount> round_up(const Rational& value, int places = kPlaces);
  // The largest one that is not above. Caps are rounded down.
  static Result<Amount> round_down(const Rational& value, int places = kPlaces);
  // Reads to_string back, and nothing else: every amount is written in one way only.
  static Result<Amount> parse(std::string_view text);

  // "0.25"; no exponent, no trailing zeros.
  [[nodiscard]] std::string to_string() const;
  [[nodiscard]] Rational to_rational() const;
  [[nodiscard]] bool is_zero() const { return units_ == 0; }

  // Refuses a sum too large to hold.
  [[nodiscard]] Result<Amount> plus(Amount other) const;
  // This less `other`; 0 where `other` is more.
  [[nodiscard]] Amount less(Amount other) const;

  friend bool operator==(Amount, Amount) = default;
  friend std::strong_ordering operator<=>(Amount, Amount) = default;

 private:
  constexpr explicit Amount(uint128 units) : units_(units) {}

  uint128 units_ = 0;  // of 10^-30
};

}  // namespace tacit

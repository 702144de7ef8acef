#include "tacit/ledger/amount.h"

#include <algorithm>
#include <utility>

namespace tacit {
namespace {

constexpr uint128 power_of_ten(int exponent) {
  uint128 power = 1;
  for (int i = 0; i < exponent; ++i) power *= 10;
  return power;
}

constexpr uint128 kOne = power_of_ten(Amount::kPlaces);
constexpr uint128 kLargest = 100'000'000 * kOne;

mpz_class to_mpz(uint128 value) {
  const mpz_class high = static_cast<unsigned long>(value >> 64);
  const mpz_class low = static_cast<unsigned long>(value);
  return (high << 64) + low;
}

// The value must lie in [0, kLargest].
uint128 to_uint128(const mpz_class& value) {
  const mpz_class high = value >> 64;
  const mpz_class low = value - (high << 64);
  return (static_cast<uint128>(high.get_ui()) << 64) | low.get_ui();
}

Result<uint128> checked_units(const Rational& value, mpz_class steps, int places) {
  if (value.sign() < 0) {
    return bad_input("an amount of privacy cannot be negative: " + value.to_string());
  }
  steps *= to_mpz(power_of_ten(Amount::kPlaces - places));
  if (steps > to_mpz(kLargest)) {
    return bad_input("the amount of privacy is absurdly large", {},
                     "an epsilon above 20 protects nobody; the ledger counts to 100000000");
  }
  return to_uint128(steps);
}

Rational steps_of(const Rational& value, int places) {
  return value * Rational(mpq_class(to_mpz(power_of_ten(places))));
}

std::unexpected<Error> not_an_amount(std::string_view text) {
  return bad_input("not an amount: \"" + std::string(text.substr(0, 64)) + "\"");
}

}  // namespace

Result<Amount> Amount::round_up(const Rational& value, int places) {
  TACIT_ASSIGN_OR_RETURN(const uint128 units,
                         checked_units(value, steps_of(value, places).ceil(), places));
  return Amount(units);
}

Result<Amount> Amount::round_down(const Rational& value, int places) {
  TACIT_ASSIGN_OR_RETURN(const uint128 units,
                         checked_units(value, steps_of(value, places).floor(), places));
  return Amount(units);
}

Result<Amount> Amount::parse(std::string_view text) {
  const std::size_t point = text.find('.');
  const std::string_view integer = text.substr(0, point);
  const std::string_view fraction =
      point == std::string_view::npos ? std::string_view{} : text.substr(point + 1);
  if (integer.empty() || integer.size() > 9 || fraction.size() > kPlaces) {
    return not_an_amount(text);
  }
  uint128 units = 0;
  for (const std::string_view digits : {integer, fraction}) {
    for (const char digit : digits) {
      if (digit < '0' || digit > '9') return not_an_amount(text);
      units = units * 10 + static_cast<unsigned>(digit - '0');
    }
  }
  units *= power_of_ten(kPlaces - static_cast<int>(fraction.size()));
  // Should the digits have overflowed, what is left does not print as they do.
  const Amount amount(units);
  if (units > kLargest || amount.to_string() != text) return not_an_amount(text);
  return amount;
}

std::string Amount::to_string() const {
  std::string digits(kPlaces, '0');
  uint128 rest = units_ % kOne;
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit, rest /= 10) {
    *digit = static_cast<char>('0' + static_cast<int>(rest % 10));
  }
  digits.erase(digits.find_last_not_of('0') + 1);
  std::string text = std::to_string(static_cast<std::uint64_t>(units_ / kOne));
  return digits.empty() ? text : text + "." + digits;
}

Rational Amount::to_rational() const { return Rational(mpq_class(to_mpz(units_), to_mpz(kOne))); }

Result<Amount> Amount::plus(Amount other) const {
  // Neither is above 10^38, so the sum of two does not reach 2^128.
  const uint128 sum = units_ + other.units_;
  if (sum > kLargest) {
    return bad_input("the account would hold more than a ledger can count: 100000000");
  }
  return Amount(sum);
}

Amount Amount::less(Amount other) const { return Amount(units_ - std::min(units_, other.units_)); }

}  // namespace tacit

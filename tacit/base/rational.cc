#include "tacit/base/rational.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

namespace tacit {
namespace {

constexpr std::size_t kLongestText = 400;
constexpr long kLargestDecimalExponent = 400;

mpz_class power_of_ten(unsigned long exponent) {
  mpz_class power;
  mpz_ui_pow_ui(power.get_mpz_t(), 10, exponent);
  return power;
}

std::unexpected<Error> not_a_number(std::string_view text) {
  return bad_input(fmt::format("'{}' is not a number", text.substr(0, 40)), {},
                   "write a number such as 3, 0.25, 1e-5 or 3/4");
}

bool all_digits(std::string_view text) {
  if (text.empty()) return false;
  for (const char c : text) {
    if (c < '0' || c > '9') return false;
  }
  return true;
}

// "12.5e-3" without a sign.
Result<mpq_class> parse_decimal(std::string_view text, std::string_view whole) {
  long exponent = 0;
  if (const auto e = text.find_first_of("eE"); e != std::string_view::npos) {
    std::string_view digits = text.substr(e + 1);
    if (digits.starts_with('+')) digits.remove_prefix(1);
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
    if (error != std::errc{} || end != digits.data() + digits.size() ||
        std::abs(exponent) > kLargestDecimalExponent) {
      return not_a_number(whole);
    }
    text = text.substr(0, e);
  }
  const auto point = text.find('.');
  const std::string_view integer = text.substr(0, point);
  const std::string_view fraction =
      point == std::string_view::npos ? std::string_view{} : text.substr(point + 1);
  const std::string digits = std::string(integer) + std::string(fraction);
  if (!all_digits(digits)) return not_a_number(whole);
  mpq_class value{mpz_class(digits, 10)};
  exponent -= static_cast<long>(fraction.size());
  if (exponent >= 0) {
    value *= power_of_ten(static_cast<unsigned long>(exponent));
  } else {
    value /= power_of_ten(static_cast<unsigned long>(-exponent));
  }
  return value;
}

// mpq_get_d truncates towards zero; this is the double at or next to it on the side asked for.
double rounded(const mpq_class& value, bool up) {
  double d = value.get_d();
  if (std::isinf(d)) d = std::copysign(std::numeric_limits<double>::max(), d);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (up) {
    while (mpq_class(d) < value) {
      d = std::nextafter(d, kInfinity);
      if (std::isinf(d)) break;
    }
  } else {
    while (mpq_class(d) > value) {
      d = std::nextafter(d, -kInfinity);
      if (std::isinf(d)) break;
    }
  }
  return d;
}

}  // namespace

Rational::Rational(std::int64_t value) {
  static_assert(sizeof(long) == sizeof(std::int64_t));
  value_ = static_cast<long>(value);
}

Result<Rational> Rational::ratio(std::int64_t numerator, std::int64_t denominator) {
  if (denominator == 0) return bad_input("a rational number needs a denominator other than 0");
  return Rational(numerator) / Rational(denominator);
}

Rational Rational::power_of_two(std::int64_t exponent) {
  mpq_class value = 1;
  if (exponent >= 0) {
    mpq_mul_2exp(value.get_mpq_t(), value.get_mpq_t(), static_cast<mp_bitcnt_t>(exponent));
  } else {
    mpq_div_2exp(value.get_mpq_t(), value.get_mpq_t(), static_cast<mp_bitcnt_t>(-exponent));
  }
  return Rational(std::move(value));
}

Result<Rational> Rational::exactly(double value) {
  if (!std::isfinite(value)) return not_a_number(fmt::format("{}", value));
  return Rational(mpq_class(value));
}

Result<Rational> Rational::decimal(double value) {
  if (!std::isfinite(value)) return not_a_number(fmt::format("{}", value));
  return parse(fmt::format("{}", value));
}

Result<Rational> Rational::parse(std::string_view text) {
  const std::string_view whole = text;
  if (text.empty() || text.size() > kLongestText) return not_a_number(whole);
  const bool negative = text.front() == '-';
  if (negative || text.front() == '+') text.remove_prefix(1);
  mpq_class value;
  if (const auto slash = text.find('/'); slash != std::string_view::npos) {
    const std::string_view top = text.substr(0, slash);
    const std::string_view bottom = text.substr(slash + 1);
    if (!all_digits(top) || !all_digits(bottom)) return not_a_number(whole);
    const mpz_class denominator(std::string(bottom), 10);
    if (denominator == 0) return not_a_number(whole);
    value = mpq_class(mpz_class(std::string(top), 10), denominator);
    value.canonicalize();
  } else {
    TACIT_ASSIGN_OR_RETURN(value, parse_decimal(text, whole));
  }
  if (negative) value = -value;
  return Rational(std::move(value));
}

double Rational::lower() const { return rounded(value_, false); }
double Rational::upper() const { return rounded(value_, true); }

double Rational::approximate() const {
  const double below = lower();
  const double above = upper();
  if (std::isinf(below)) return above;
  if (std::isinf(above)) return below;
  return value_ - mpq_class(below) <= mpq_class(above) - value_ ? below : above;
}

mpz_class Rational::floor() const {
  mpz_class result;
  mpz_fdiv_q(result.get_mpz_t(), value_.get_num_mpz_t(), value_.get_den_mpz_t());
  return result;
}

mpz_class Rational::ceil() const {
  mpz_class result;
  mpz_cdiv_q(result.get_mpz_t(), value_.get_num_mpz_t(), value_.get_den_mpz_t());
  return result;
}

std::string Rational::to_string() const {
  if (value_.get_den() == 1 && mpz_sizeinbase(value_.get_num_mpz_t(), 10) <= 20) {
    return value_.get_num().get_str();
  }
  std::string decimal_text = fmt::format("{}", approximate());
  if (const auto back = parse(decimal_text); back && *back == *this) return decimal_text;
  return value_.get_str();
}

Rational operator+(const Rational& a, const Rational& b) { return Rational(a.value_ + b.value_); }
Rational operator-(const Rational& a, const Rational& b) { return Rational(a.value_ - b.value_); }
Rational operator*(const Rational& a, const Rational& b) { return Rational(a.value_ * b.value_); }
Rational operator/(const Rational& a, const Rational& b) { return Rational(a.value_ / b.value_); }
Rational operator-(const Rational& a) { return Rational(mpq_class(-a.value_)); }

}  // namespace tacit

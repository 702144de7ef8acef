#include "tacit/random/parameter_internal.h"

namespace tacit {
namespace {

constexpr std::size_t kMostBits = 1 << 14;

std::size_t length(const mpz_class& n) { return mpz_sizeinbase(n.get_mpz_t(), 2); }

}  // namespace

Result<void> check_scale(const Rational& value, std::int64_t power, const std::string& where) {
  const std::string name = power == 2 ? "the variance" : "the scale";
  if (value.sign() <= 0) {
    return bad_input(name + " must be above 0", where, "give a positive number");
  }
  if (length(value.mpq().get_num()) > kMostBits || length(value.mpq().get_den()) > kMostBits) {
    return bad_input(name + " is a fraction of more than 16384 bits", where, "round it first");
  }
  if (value < Rational::power_of_two(-30 * power) || value > Rational::power_of_two(40 * power)) {
    const std::string range = power == 2 ? "2^-60 and 2^80" : "2^-30 and 2^40";
    return bad_input(name + " must lie between " + range + " in units of the grid", where,
                     "choose a grid nearer to the size of the noise");
  }
  return {};
}

}  // namespace tacit
